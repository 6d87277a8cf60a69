namespace Picollo.Cli.Top;

/// <summary>The sort key of the list. The order is descending.</summary>
internal enum TopSort
{
    Cpu,
    Memory,
    Time,
    Pid,
    Wait,
}

internal sealed class TopSettings
{
    public const string Delays = "0.1 to 1000000 seconds";

    private const double MinDelaySeconds = 0.1;
    private const double MaxDelaySeconds = 1_000_000;

    public TopSort Sort { get; set; }

    public bool IsReversed { get; set; }

    public bool ShowThreads { get; set; }

    public bool PerCpu { get; set; }

    public bool ShowCommandLine { get; set; }

    /// <summary>The ID of the effective user whose processes are listed; null for all users.</summary>
    public uint? User { get; set; }

    /// <summary>The text that the command or user of a listed row contains, ignoring case; empty for all rows.</summary>
    public string Filter { get; set; } = "";

    /// <summary>The IDs of the listed processes; empty for all processes.</summary>
    public IReadOnlyList<int> Pids { get; set; } = [];

    public TimeSpan Delay { get; set; } = TimeSpan.FromSeconds(3);

    public int? Iterations { get; set; }

    public bool IsSecure { get; set; }

    /// <summary>Parses a delay in seconds. Returns null if it is invalid.</summary>
    public static TimeSpan? DelayOf(string text) =>
        double.TryParse(text, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out double seconds)
        && seconds is >= MinDelaySeconds and <= MaxDelaySeconds ? TimeSpan.FromSeconds(seconds) : null;

    public bool Includes(in TopRow row, Func<TopRow, string> commandOf) =>
        (User is not { } user || row.Process.UserId == user)
        && (Pids.Count == 0 || Pids.Contains(row.Process.Id))
        && (Filter.Length == 0
            || row.User.Contains(Filter, StringComparison.OrdinalIgnoreCase)
            || commandOf(row).Contains(Filter, StringComparison.OrdinalIgnoreCase));
}
