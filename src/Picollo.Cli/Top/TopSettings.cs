using System.Globalization;

namespace Picollo.Cli.Top;

/// <summary>The order of the list, the largest first.</summary>
internal enum TopSort
{
    Cpu,
    Memory,
    Time,
    Pid,
    Wait,
}

/// <summary>The settings that options and keys change.</summary>
internal sealed class TopSettings
{
    /// <summary>The range of delays, for messages.</summary>
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

    /// <summary>Only list the processes of this effective user; null for all.</summary>
    public uint? User { get; set; }

    /// <summary>Only list rows whose command or user contains this text, in any letter case; empty for all.</summary>
    public string Filter { get; set; } = "";

    /// <summary>Only list these processes; empty for all.</summary>
    public IReadOnlyList<int> Pids { get; set; } = [];

    /// <summary>The time between two samples.</summary>
    public TimeSpan Delay { get; set; } = TimeSpan.FromSeconds(3);

    /// <summary>The number of pages; null for no limit.</summary>
    public int? Iterations { get; set; }

    /// <summary>Signals and changes of niceness are disabled.</summary>
    public bool IsSecure { get; set; }

    /// <summary>Parses a delay in seconds; null if it is invalid.</summary>
    public static TimeSpan? DelayOf(string text) =>
        double.TryParse(text, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out double seconds)
        && seconds is >= ShortestDelaySeconds and <= LongestDelaySeconds ? TimeSpan.FromSeconds(seconds) : null;

    /// <summary>Whether a row is on the list.</summary>
    /// <param name="commandOf">What the last column shows of a row.</param>
    public bool Lists(in TopRow row, Func<TopRow, string> commandOf) =>
        (User is not { } user || row.Process.UserId == user)
        && (Pids.Count == 0 || Pids.Contains(row.Process.Id))
        && (Filter.Length == 0
            || row.User.Contains(Filter, StringComparison.OrdinalIgnoreCase)
            || commandOf(row).Contains(Filter, StringComparison.OrdinalIgnoreCase));
}
