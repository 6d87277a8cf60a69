using System.CommandLine.Parsing;
using Picollo.Diagnostics;

namespace Picollo.Cli.Jitter;

/// <summary>The <c>picollo jitter</c> command. Its options are compatible with jitterdebugger.</summary>
internal static class JitterCommand
{
    private const int HighestPriority = 99;
    private const int DefaultPriority = 80;
    private const string Microseconds = "us";
    private const string Nanoseconds = "ns";

    private const string Epilogue = """
        Output:
          One line per CPU. T: index (thread ID), A: CPU, C: number of wake-ups, and the
          Min, Avg and Max latency in microseconds (Min and Max are truncated to whole
          microseconds). A table of percentiles follows. If real-time priority or
          another feature is not permitted, a message is written to standard error, and
          the measurement continues without the feature.
          With -o: results.json in the format of jitterdebugger with additional fields,
          jitter.hlog with a histogram per CPU (tags cpu0, cpu1 ... for picollo hist),
          and system files such as cpuinfo, cmdline and interrupts; with -s also
          samples.raw. The load of -c writes to standard error.
          With -b: the kernel's trace ends with a mark that contains the latency, and is
          then off for the whole machine (tracing_on is 0). To turn it on again, run
          echo 1 > /sys/kernel/tracing/tracing_on

        Times:
          A number with ns, us, ms, s, m, h or d. Without a unit, -i and -b are in
          microseconds (nanoseconds with -N), and -D is in seconds.

        Examples:
          picollo jitter -v
          picollo jitter -D 10m -c 'stress-ng --cpu 0' -o results
          picollo jitter plot results
          picollo jitter -D 10s -o results -s && picollo jitter plot results --samples
          picollo jitter -a 2-3 -i 250 -b 100
          picollo jitter -D 5 --json | jq 'select(.kind == "summary").percentiles'
          picollo jitter -D 1m -b 200 --json |
            jq -es 'last | .count > 0 and .break == null'

        Exit codes:
          0    success, even if a latency above -b stopped the measurement
          1    the measurement is not possible, or results cannot be written
          2    invalid command line
          126  the load cannot be executed (127: there is no shell)
          130  interrupted (143 by SIGTERM); the results so far are printed
          141  the reader of the output closed the pipe
        """;

    private static readonly Option<string?> Affinity = CommandOptions.Text(
        "-a",
        "--affinity",
        "CPUS",
        "CPUs to measure, including isolated ones: a list such as 0-3,8, or a mask such as 0x10F. [default: the affinity of this process]");

    private static readonly Option<string?> Interval = CommandOptions.Text(
        "-i", "--interval", "TIME", "Time between wake-ups, 1us to 1s. [default: 1ms]");

    private static readonly Option<string?> Priority = CommandOptions.Text(
        "-p", "--priority", "PRIO", "Real-time priority (SCHED_FIFO), 1 to 99, or 0 for none. [default: 80]");

    private static readonly Option<string?> Duration = CommandOptions.Text(
        "-D", "--duration", "TIME", "Duration of the measurement. [default: until Ctrl+C]");
    private static readonly Option<string?> Loops = CommandOptions.Text(
        "-l", "--loops", "N", "Stop after N wake-ups per CPU. [default: no limit]");
    private static readonly Option<string?> Break = CommandOptions.Text(
        "-b", "--break", "TIME", "Stop at the first latency above TIME, mark it in the kernel's trace, and stop the trace.");

    private static readonly Option<string?> Load = CommandOptions.Text(
        "-c", "--command", "CMD", "Shell command (/bin/sh) to run during the measurement, at normal priority.");

    private static readonly Option<bool> Live = new("-v", "--verbose")
    {
        Description = "Show the measurements every second. [default if the output is a terminal and neither -D nor -l is specified]",
    };
    private static readonly Option<bool> InNanoseconds = new("-N", "--nsec") { Description = "Show nanoseconds instead of microseconds." };
    private static readonly Option<string?> Folder = CommandOptions.Text(
        "-o", "--output", "DIR", "Save the results and system information to a directory.");
    private static readonly Option<bool> Force = new("--force") { Description = "Overwrite existing results in the directory of -o." };
    private static readonly Option<bool> Samples = new("-s", "--samples") { Description = "Also save every sample. Requires -o." };
    private static readonly Option<bool> Json = new("--json") { Description = "Write JSON Lines instead of text." };

    static JitterCommand()
    {
        Affinity.Check(
            text => CpuList.Parse(text) is not null,
            text => $"-a must be a list of CPUs from 0 to {CpuList.Highest} such as 0-3,8, or a mask such as 0x10F, not '{text}'.");
        Priority.Check(
            text => Number(text) is >= 0 and <= HighestPriority,
            text => $"-p must be a priority from 1 to {HighestPriority}, or 0 for no real-time priority, not '{text}'.");
        Loops.Check(text => Number(text) > 0, text => $"-l must be a number of wake-ups, 1 or more, not '{text}'.");
        Duration.Check(
            text => TimeText.Parse(text, "s") is not null, text => $"-D must be a time such as 30, 30s, 5m, 1h or 1d, not '{text}'.");
        Load.Check(text => !string.IsNullOrWhiteSpace(text), text => $"-c must be a command, not '{text}'.");
    }

    public static Command Create(Terminal terminal)
    {
        Command command = new("jitter", "Measure the wake-up latency of each CPU.")
        {
            Affinity, Interval, Priority, Duration, Loops, Break, Load, Live, InNanoseconds, Folder, Force, Samples, Json,
        };
        command.Add(JitterPlotCommand.Create(terminal));
        command.Add(JitterSamplesCommand.Create(terminal));
        command.Check(Validate);
        command.SetAction(parsed => JitterRunner.Run(terminal, OptionsOf(parsed)));
        CommandHelp.Append(command, Epilogue);
        return command;
    }

    // The default unit of a time depends on -N.
    private static string? Validate(CommandResult command)
    {
        string unit = command.GetValue(InNanoseconds) ? Nanoseconds : Microseconds;
        return command.GetValue(Interval) is { } interval
                && !(TimeText.Parse(interval, unit) >= JitterMeterOptions.MinInterval
                    && TimeText.Parse(interval, unit) <= JitterMeterOptions.MaxInterval)
                ? $"-i must be a multiple of 100 ns from 1us to 1s (default unit: {unit}), not '{interval}'."
            : command.GetValue(Break) is { } limit && TimeText.Parse(limit, unit) is null
                ? $"-b must be a time that is a multiple of 100 ns (default unit: {unit}), not '{limit}'."
            : command.GetValue(Samples) && command.GetValue(Folder) is null ? "-s requires -o, the directory for the samples."
            : null;
    }

    internal static JitterOptions OptionsOf(ParseResult parsed)
    {
        bool inNanoseconds = parsed.GetValue(InNanoseconds);
        string unit = inNanoseconds ? Nanoseconds : Microseconds;
        JitterMeterOptions defaults = new();
        JitterMeterOptions meter = new()
        {
            Cpus = parsed.GetValue(Affinity) is { } cpus ? CpuList.Parse(cpus) : null,
            Interval = Time(Interval, unit) ?? defaults.Interval,
            Priority = parsed.GetValue(Priority) is not { } priority ? DefaultPriority
                : Number(priority) is > 0 and var given ? (int)given
                : null,
            Duration = Time(Duration, "s"),
            Loops = parsed.GetValue(Loops) is { } loops ? Number(loops) : null,
            BreakAbove = Time(Break, unit),
        };
        return new(
            meter,
            parsed.GetValue(Load) is { } load ? MeasuredCommand.FromText(load).WithOutputToError().WithNormalScheduling() : null,
            parsed.GetValue(Live),
            inNanoseconds,
            parsed.GetValue(Json),
            parsed.GetValue(Folder),
            parsed.GetValue(Samples),
            parsed.GetValue(Force));

        TimeSpan? Time(Option<string?> option, string unit) => parsed.GetValue(option) is { } text ? TimeText.Parse(text, unit) : null;
    }

    private static long? Number(string text) =>
        long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out long number) ? number : null;
}

/// <param name="Meter">The options of the meter. The runner adds the sample handler.</param>
/// <param name="IsLive">Whether to show the measurements every second.</param>
/// <param name="InNanoseconds">Whether to show nanoseconds instead of microseconds.</param>
/// <param name="Folder">The folder for results; null if they are not saved.</param>
internal sealed record JitterOptions(
    JitterMeterOptions Meter, MeasuredCommand? Load, bool IsLive, bool InNanoseconds, bool IsJson, string? Folder, bool WithSamples,
    bool IsForced = false);

/// <summary>Parses times in options: a number with a unit (<c>250us</c>, <c>0.5s</c>, <c>2m</c>) or without one.</summary>
internal static class TimeText
{
    private const decimal NanosecondsPerTick = 100;

    private static readonly (string Name, decimal Nanoseconds)[] Units =
    [
        ("ns", 1m), ("us", 1e3m), ("µs", 1e3m), ("ms", 1e6m), ("s", 1e9m), ("m", 60e9m), ("h", 3600e9m), ("d", 86_400e9m),
    ];

    /// <summary>Parses a time. Returns null if the text is not a time, is 0, is not a multiple of 100 ns (the resolution of
    /// <see cref="TimeSpan"/>), or is out of range.</summary>
    public static TimeSpan? Parse(string text, string unit)
    {
        ReadOnlySpan<char> name = text.AsSpan().TrimStart("0123456789.");
        ReadOnlySpan<char> digits = text.AsSpan(0, text.Length - name.Length);
        string suffix = name.IsEmpty ? unit : name.ToString();
        decimal perUnit = Array.Find(Units, known => known.Name.Equals(suffix, StringComparison.OrdinalIgnoreCase)).Nanoseconds;
        if (perUnit == 0
            || !decimal.TryParse(digits, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out decimal number)
            || number > decimal.MaxValue / perUnit)
        {
            return null;
        }

        decimal ticks = number * perUnit / NanosecondsPerTick;
        return ticks > 0 && ticks <= long.MaxValue && ticks == decimal.Truncate(ticks) ? TimeSpan.FromTicks((long)ticks) : null;
    }
}
