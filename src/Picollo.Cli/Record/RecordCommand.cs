using System.CommandLine.Parsing;
using Picollo.Diagnostics;
using Picollo.Profiling;

namespace Picollo.Cli.Record;

/// <summary>The <c>picollo record</c> command: defines and validates its options.</summary>
internal static class RecordCommand
{
    public const string Name = "record";

    private const double MaxSeconds = 24 * 60 * 60;

    private const string Epilogue = """
        Output:
          The table of functions is written to standard output. With a command, it is
          written to standard error, because standard output belongs to the command.
          own    CPU time of the function itself (self time)
          total  CPU time of the function and the functions that it called
          With --diff, the table shows the functions whose own share of the CPU time
          changed most, in percentage points. ~ marks a change that may be random.
          Profiles of other tools can show another sample type than CPU time.

        Examples:
          picollo record -p 1234 --duration 10
          picollo record -p 1234 --duration 10 --html profile.html
          picollo record --frequency 999 --svg flame.svg -- dotnet app.dll
          picollo record --pprof app.pb.gz -- ./app && go tool pprof -http=: app.pb.gz
          picollo record --diff before.pb.gz after.pb.gz --html diff.html

        Exit codes:
          the exit code of the command, or 128 + N if signal N terminated it;
          0 with -p or --diff
          1     the process cannot be profiled, or a file cannot be read or written
          2     invalid command line
          126   the command cannot be executed
          127   the command does not exist
          130   with -p: interrupted (143 by SIGTERM); the profile so far is written
          141   the reader of the output closed the pipe

        Notes:
          Linux only. Samples are taken by CPU time, so waiting threads have no samples.
          Root is not required if kernel.perf_event_paranoid is 2 or less. Ctrl+C ends
          the profile and prints it. The names of .NET methods are written by the .NET
          process: record starts a command with DOTNET_PerfMapEnabled=3, and sends a
          request to the diagnostics socket of a running process.
        """;

    private static readonly Option<string?> Process = CommandOptions.Text(
        "-p", "--pid", "PID", "ID of a running process to profile. Stops when the process exits, after --duration, or on Ctrl+C.");
    private static readonly Option<string?> Duration = CommandOptions.Text(
        "--duration", "SECS", "Duration of the profile in seconds, with -p. [default: until the process exits]");
    private static readonly Option<string?> Frequency = CommandOptions.Text(
        "--frequency", "HZ", "Number of samples per second of CPU time. [default: 99]");
    private static readonly Option<bool> Kernel = new("--kernel")
    {
        Description = "Include kernel code. Requires root, or kernel.perf_event_paranoid of 1 or less.",
    };
    private static readonly Option<bool> Tiers = new("--tiers")
    {
        Description = "Show the compilation tier of each method, such as [Tier1].",
    };
    private static readonly Option<string?> Html = CommandOptions.Text(
        "--html", "FILE", "Write an HTML page with a flame graph and tables.");
    private static readonly Option<string?> Svg = CommandOptions.Text("--svg", "FILE", "Write a flame graph to an SVG file.");
    private static readonly Option<string?> Pprof = CommandOptions.Text(
        "--pprof", "FILE", "Write a profile in pprof format (gzip), for pprof and speedscope.");
    private static readonly Option<string?> Folded = CommandOptions.Text(
        "--folded", "FILE", "Write folded stacks: one line per stack, such as a;b;c 12.");
    private static readonly Option<string?> Json = CommandOptions.Text("--json", "FILE", "Write the profile as JSON.");
    private static readonly Option<string[]> Diff = new("--diff")
    {
        HelpName = "BEFORE> <AFTER", // the help adds the outer angle brackets: <BEFORE> <AFTER>
        Description = "Compare two pprof profiles, from --pprof or another tool.",
        Arity = new ArgumentArity(1, 2), // a single value is reported below
        AllowMultipleArgumentsPerToken = true,
    };
    private static readonly Option<string?> SampleType = CommandOptions.Text(
        "--type", "TYPE", "With --diff: the sample type to compare, such as cpu. [default: the type that go tool pprof shows]");
    private static readonly Argument<string[]> Arguments = new("CMD")
    {
        Description = "The command and its arguments, after --.",
        Arity = ArgumentArity.ZeroOrMore,
    };

    static RecordCommand()
    {
        Process.Check(word => CommandOptions.Number(word, 1) is not null, word => $"-p must be a process ID, not '{word}'.");
        Duration.Check(
            word => Seconds(word) is not null,
            word => Invariant($"--duration must be more than 0 and at most {MaxSeconds} seconds, not '{word}'."));
        Frequency.Check(
            word => CommandOptions.Number(word, 1, CpuProfilerOptions.MaxFrequency) is not null,
            word => $"--frequency must be 1 to {CpuProfilerOptions.MaxFrequency} samples per second, not '{word}'.");
    }

    public static Command Create(Terminal terminal)
    {
        Command command = new(Name, "Profile the CPU time of a process or a command.")
        {
            Process, Duration, Frequency, Kernel, Tiers, Html, Svg, Pprof, Folded, Json, Diff, SampleType, Arguments,
        };
        command.Check(Validate);
        command.SetAction(parsed => parsed.GetValue(Diff) is [var before, var after]
            ? RecordDifference.Run(
                terminal, before, after, parsed.GetValue(SampleType), parsed.GetValue(Html), parsed.GetValue(Svg))
            : RecordRunner.Run(terminal, Read(parsed)));
        CommandHelp.Append(command, Epilogue);
        return command;
    }

    private static string? Validate(CommandResult result)
    {
        string[] command = [.. result.GetResult(Arguments)?.Tokens.Select(token => token.Value) ?? []];
        bool hasProcess = result.GetResult(Process) is { Implicit: false };
        if (result.GetResult(Diff) is { Implicit: false } diff)
        {
            return Validate(result, diff.Tokens.Count, command);
        }

        return command.Length > 0 && command[0].StartsWith('-') ? $"Unrecognized option '{command[0]}'."
            : hasProcess == command.Length > 0 ? "Specify either a process (-p PID) or a command (after --)."
            : command.Length > 0 && string.IsNullOrWhiteSpace(command[0]) ? "The command is empty."
            : result.GetResult(SampleType) is { Implicit: false } ? "--type requires --diff."
            : !hasProcess && result.GetResult(Duration) is { Implicit: false }
                ? "--duration requires -p; a command is profiled until it exits."
            : null;
    }

    private static string? Validate(CommandResult result, int fileCount, string[] command)
    {
        Option[] others = [Process, Duration, Frequency, Kernel, Tiers, Pprof, Folded, Json];
        return fileCount != 2 ? "--diff requires two files: BEFORE and AFTER."
            : Array.Find(others, option => result.GetResult(option) is { Implicit: false }) is { } other
                ? $"--diff cannot be combined with {other.Name}, only with --type, --html and --svg."
            : command.Length > 0 ? $"--diff compares two files and cannot be combined with a command: '{command[0]}'."
            : null;
    }

    internal static RecordOptions Read(ParseResult parsed) => new(
        new CpuProfilerOptions
        {
            ProcessId = CommandOptions.Number(parsed.GetValue(Process), 1),
            Frequency = parsed.GetValue(Frequency) is { } frequency
                ? CommandOptions.Number(frequency, 1, CpuProfilerOptions.MaxFrequency)!.Value
                : new CpuProfilerOptions().Frequency,
            IncludeKernel = parsed.GetValue(Kernel),
            ShowTiers = parsed.GetValue(Tiers),
        },
        parsed.GetValue(Arguments) is [var program, .. var rest] ? MeasuredCommand.FromArguments(program, rest) : null,
        parsed.GetValue(Duration) is { } seconds ? Seconds(seconds) : null)
    {
        HtmlPath = parsed.GetValue(Html),
        SvgPath = parsed.GetValue(Svg),
        PprofPath = parsed.GetValue(Pprof),
        FoldedPath = parsed.GetValue(Folded),
        JsonPath = parsed.GetValue(Json),
    };

    private static TimeSpan? Seconds(string word) =>
        double.TryParse(word, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out double seconds)
            && seconds is > 0 and <= MaxSeconds
                ? TimeSpan.FromSeconds(seconds)
                : null;
}

/// <param name="Duration">The duration of the profile of a running process; null to profile it until it exits.</param>
internal sealed record RecordOptions(CpuProfilerOptions Profiler, MeasuredCommand? Command, TimeSpan? Duration)
{
    public string? HtmlPath { get; init; }

    public string? SvgPath { get; init; }

    public string? PprofPath { get; init; }

    public string? FoldedPath { get; init; }

    public string? JsonPath { get; init; }
}
