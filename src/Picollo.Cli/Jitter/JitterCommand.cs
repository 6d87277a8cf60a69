using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;
using Picollo.Diagnostics;

namespace Picollo.Cli.Jitter;

/// <summary><c>picollo jitter</c>: its options, which are jitterdebugger's.</summary>
internal static class JitterCommand
{
    private const int HighestPriority = 99;
    private const int UsualPriority = 80;
    private const string Microseconds = "us";
    private const string Nanoseconds = "ns";

    private const string Epilogue = """
        Output:
          A line a CPU: T index (thread) A CPU, C wake-ups, Min, Avg and Max latency in
          microseconds (Min and Max cut to whole ones), then percentiles. What is not
          permitted here, such as real-time priority, is said on standard error, and
          the measurement is made without.
          With -o: results.json as jitterdebugger has it and more, jitter.hlog with a
          histogram per CPU (tags cpu0, cpu1 ... for picollo hist), the system's
          cpuinfo, cmdline, interrupts and so on; with -s samples.raw. The load of -c
          writes to standard error.
          With -b: the trace of the whole machine ends at a mark of the latency (0 in
          tracing_on); echo 1 > /sys/kernel/tracing/tracing_on turns it on again.

        Times:
          A number with ns, us, ms, s, m, h or d. Without a unit, -i and -b are in
          microseconds, under -N in nanoseconds, and -D is in seconds.

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
          0    done; also where a latency above -b has ended it
          1    it cannot be measured here, or results cannot be written
          2    the command line is not understood
          126  the load cannot be executed (127: there is no shell to do it)
          130  interrupted (143: SIGTERM); what was measured by then is printed
          141  nobody reads the output any more
        """;

    private static readonly Option<string?> Affinity = CommandOptions.Text(
        "-a", "--affinity", "CPUS", "Measure these CPUs: 0-3,8 or a mask, 0x10F. [default: all that this process may use]");

    private static readonly Option<string?> Interval = CommandOptions.Text(
        "-i", "--interval", "TIME", "Set the time from one wake-up to the next, 1us to 1s. [default: 1ms]");

    private static readonly Option<string?> Priority = CommandOptions.Text(
        "-p", "--priority", "PRIO", "Set the real-time priority (SCHED_FIFO), 1 to 99, or 0 for none. [default: 80]");

    private static readonly Option<string?> Duration = CommandOptions.Text(
        "-D", "--duration", "TIME", "Measure for this time. [default: until Ctrl+C]");
    private static readonly Option<string?> Loops = CommandOptions.Text("-l", "--loops", "N", "Stop after N wake-ups per CPU.");
    private static readonly Option<string?> Break = CommandOptions.Text(
        "-b", "--break", "TIME", "Stop at a latency above this, mark it in the kernel's trace and stop the trace.");

    private static readonly Option<string?> Load = CommandOptions.Text(
        "-c", "--command", "CMD", "Run a line for /bin/sh meanwhile, at normal priority.");

    private static readonly Option<bool> Live = new("-v", "--verbose")
    {
        Description = "Show the measurements each second; on a terminal also without -D and -l.",
    };
    private static readonly Option<bool> InNanoseconds = new("-N", "--nsec") { Description = "Show nanoseconds instead of microseconds." };
    private static readonly Option<string?> Folder = CommandOptions.Text(
        "-o", "--output", "DIR", "Save the results and a description of the system.");
    private static readonly Option<bool> Force = new("--force") { Description = "Replace earlier results of -o." };
    private static readonly Option<bool> Samples = new("-s", "--samples") { Description = "Save every sample, too, with -o." };
    private static readonly Option<bool> Json = new("--json") { Description = "Write JSON Lines instead of text." };

    static JitterCommand()
    {
        Affinity.Check(
            text => CpuList.Parse(text) is not null,
            text => $"-a is a list of CPUs from 0 to {CpuList.Highest} such as 0-3,8, or a mask such as 0x10F, not '{text}'.");
        Priority.Check(
            text => Number(text) is >= 0 and <= HighestPriority,
            text => $"-p is a priority from 1 to {HighestPriority}, or 0 for no real time, not '{text}'.");
        Loops.Check(text => Number(text) > 0, text => $"-l is a number of wake-ups, 1 or more, not '{text}'.");
        Duration.Check(
            text => TimeText.Parse(text, "s") is not null, text => $"-D is a time such as 30, 30s, 5m, 1h or 1d, not '{text}'.");
        Load.Check(text => !string.IsNullOrWhiteSpace(text), text => $"-c is a command, not '{text}'.");
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

    // The unit of a number without one depends on another option.
    private static void Validate(CommandResult command)
    {
        string unit = command.GetValue(InNanoseconds) ? Nanoseconds : Microseconds;
        if (command.GetValue(Interval) is { } interval
            && (TimeText.Parse(interval, unit) is not { } time
                || time < JitterMeterOptions.MinInterval
                || time > JitterMeterOptions.MaxInterval))
        {
            command.AddError($"-i is a time from 1us to 1s in steps of 100 ns, a number alone in {unit}, not '{interval}'.");
        }

        if (command.GetValue(Break) is { } limit && TimeText.Parse(limit, unit) is null)
        {
            command.AddError($"-b is a time in steps of 100 ns, a number alone in {unit}, not '{limit}'.");
        }

        if (command.GetValue(Samples) && command.GetValue(Folder) is null)
        {
            command.AddError("-s needs -o, where the samples go.");
        }
    }

    internal static JitterOptions OptionsOf(ParseResult parsed)
    {
        bool inNanoseconds = parsed.GetValue(InNanoseconds);
        string unit = inNanoseconds ? Nanoseconds : Microseconds;
        JitterMeterOptions usual = new();
        JitterMeterOptions meter = new()
        {
            Cpus = parsed.GetValue(Affinity) is { } cpus ? CpuList.Parse(cpus) : null,
            Interval = Time(Interval, unit) ?? usual.Interval,
            Priority = parsed.GetValue(Priority) is not { } priority ? UsualPriority
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

/// <summary>The options of <c>picollo jitter</c>.</summary>
/// <param name="Meter">How to measure; the run adds the handler of samples.</param>
/// <param name="IsLive">Show the measurements each second.</param>
/// <param name="InNanoseconds">Instead of microseconds.</param>
/// <param name="Folder">The folder for results; null if they are not saved.</param>
/// <param name="IsForced">Whether results that the folder has are replaced.</param>
internal sealed record JitterOptions(
    JitterMeterOptions Meter, MeasuredCommand? Load, bool IsLive, bool InNanoseconds, bool IsJson, string? Folder, bool WithSamples,
    bool IsForced = false);
