using System.Globalization;

namespace Picollo.Cli.Top;

/// <summary>What the list is ordered by, the largest first.</summary>
internal enum TopSort
{
    Cpu,
    Memory,
    Time,
    Pid,
    Wait,
}

/// <summary>What options and keys change of what is shown.</summary>
internal sealed class TopSettings
{
    /// <summary>What delays there may be, in words.</summary>
    public const string Delays = "0.1 to 1000000 seconds";

    private const double ShortestDelaySeconds = 0.1;
    private const double LongestDelaySeconds = 1_000_000;

    public TopSort Sort { get; set; }

    /// <summary>The smallest first.</summary>
    public bool IsReversed { get; set; }

    /// <summary>Threads instead of processes.</summary>
    public bool ShowThreads { get; set; }

    /// <summary>A line for each CPU instead of one for all.</summary>
    public bool PerCpu { get; set; }

    /// <summary>Command lines instead of names.</summary>
    public bool ShowCommandLine { get; set; }

    /// <summary>The effective user whose processes alone are listed; null for all.</summary>
    public uint? User { get; set; }

    /// <summary>The processes that alone are listed; empty for all.</summary>
    public IReadOnlyList<int> Pids { get; set; } = [];

    /// <summary>Between two samples.</summary>
    public TimeSpan Delay { get; set; } = TimeSpan.FromSeconds(3);

    /// <summary>After how many pages to end; null for never.</summary>
    public int? Iterations { get; set; }

    /// <summary>Nothing can be signalled or reniced.</summary>
    public bool IsSecure { get; set; }

    /// <summary>A delay as a user writes it, in seconds; null where there is no such delay.</summary>
    public static TimeSpan? DelayOf(string text) =>
        double.TryParse(text, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out double seconds)
        && seconds is >= ShortestDelaySeconds and <= LongestDelaySeconds ? TimeSpan.FromSeconds(seconds) : null;

    /// <summary>Whether a row is on the list.</summary>
    public bool Lists(in TopRow row) =>
        (User is not { } user || row.Process.UserId == user) && (Pids.Count == 0 || Pids.Contains(row.Process.Id));
}
