using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;
using Picollo.Diagnostics;
using Picollo.Profiling;

namespace Picollo.Cli.Record;

/// <summary><c>picollo record</c>: its options and their checks.</summary>
internal static class RecordCommand
{
    public const string Name = "record";

    private const double MostSeconds = 24 * 60 * 60;

    private const string Epilogue = """
        Output:
          The table of functions goes to standard output, and with a command to
          standard error, because the command's own output goes to standard output.
          own    CPU time in the function itself
          total  CPU time in the function and in what it called
          With --diff, the table shows the functions whose own shares have changed most,
          in percentage points. ~ marks a change that may be chance.

        Examples:
          picollo record -p 1234 --duration 10
          picollo record -p 1234 --duration 10 --html profile.html
          picollo record --frequency 999 --svg flame.svg -- dotnet app.dll
          picollo record --pprof app.pb.gz -- ./app && go tool pprof -http=: app.pb.gz
          picollo record --diff before.pb.gz after.pb.gz --html diff.html

        Exit codes:
          the command's own, 128 + N where signal N ended it; with -p or --diff, 0
          1     the process cannot be profiled, or a file cannot be read or written
          2     the command line is not understood
          126   the command cannot be executed
          127   there is no such command
          130   with -p: interrupted (143: SIGTERM); the profile until then is written
          141   the reader of the output has closed the pipe

        Notes:
          Linux. Samples are taken by CPU time: a thread that waits has none. No root
          is needed where kernel.perf_event_paranoid is 2 or less. Ctrl+C ends the
          profile and prints it. A .NET process writes the names of its methods for
          the profile: a command because it gets DOTNET_PerfMapEnabled=3, another
          process because it is asked on its diagnostics socket.
        """;

    private static readonly Option<string?> Process = CommandOptions.Text(
        "-p", "--pid", "PID", "Profile a running process, until its end, Ctrl+C, or the end of --duration.");
    private static readonly Option<string?> Duration = CommandOptions.Text(
        "--duration", "S", "With -p: profile for S seconds.");
    private static readonly Option<string?> Frequency = CommandOptions.Text(
        "--frequency", "HZ", "Take HZ samples for each second of CPU time. [default: 99]");
    private static readonly Option<bool> Kernel = new("--kernel")
    {
        Description = "Sample the kernel's code, too. Requires kernel.perf_event_paranoid 1 or less, or root.",
    };
    private static readonly Option<bool> Tiers = new("--tiers") { Description = "Show how each method was compiled, such as [Tier1]." };
    private static readonly Option<string?> Html = CommandOptions.Text("--html", "FILE", "Write a page with a flame graph and tables.");
    private static readonly Option<string?> Svg = CommandOptions.Text("--svg", "FILE", "Write a flame graph.");
    private static readonly Option<string?> Pprof = CommandOptions.Text(
        "--pprof", "FILE", "Write a profile for pprof and speedscope (gzip).");
    private static readonly Option<string?> Folded = CommandOptions.Text("--folded", "FILE", "Write stacks as lines: a;b;c 12.");
    private static readonly Option<string?> Json = CommandOptions.Text("--json", "FILE", "Write the profile as JSON.");
    private static readonly Option<string[]> Diff = new("--diff")
    {
        HelpName = "BEFORE AFTER",
        Description = "Compare two profiles that --pprof or another tool has written.",
        Arity = new ArgumentArity(1, 2), // one is reported below
        AllowMultipleArgumentsPerToken = true,
    };
    private static readonly Argument<string[]> Arguments = new("CMD")
    {
        Description = "The command and its arguments, after --.",
        Arity = ArgumentArity.ZeroOrMore,
    };

    static RecordCommand()
    {
        Process.Check(word => Number(word, int.MaxValue) is not null, word => $"-p takes the ID of a process, not '{word}'.");
        Duration.Check(
            word => Seconds(word) is not null,
            word => Invariant($"--duration takes seconds, above 0 and at most {MostSeconds}, not '{word}'."));
        Frequency.Check(
            word => Number(word, CpuProfilerOptions.MaxFrequency) is not null,
            word => $"--frequency takes a number of samples a second, 1 to {CpuProfilerOptions.MaxFrequency}, not '{word}'.");
    }

    public static Command Create(Terminal terminal)
    {
        Command command = new(Name, "Profile where a process or a command spends its CPU time.")
        {
            Process, Duration, Frequency, Kernel, Tiers, Html, Svg, Pprof, Folded, Json, Diff, Arguments,
        };
        command.Validators.Add(result =>
        {
            if (WhyNot(result) is { } reason)
            {
                result.AddError(reason);
            }
        });
        command.SetAction(parsed => parsed.GetValue(Diff) is [var before, var after]
            ? RecordDifference.Run(terminal, before, after, parsed.GetValue(Html), parsed.GetValue(Svg))
            : RecordRunner.Run(terminal, Read(parsed)));
        CommandHelp.Append(command, Epilogue);
        return command;
    }

    private static string? WhyNot(CommandResult result)
    {
        string[] command = [.. result.GetResult(Arguments)?.Tokens.Select(token => token.Value) ?? []];
        bool hasProcess = result.GetResult(Process) is { Implicit: false };
        if (result.GetResult(Diff) is { Implicit: false } diff)
        {
            return WhyNot(result, diff.Tokens.Count, command);
        }

        return command.Length > 0 && command[0].StartsWith('-') ? $"There is no option '{command[0]}'."
            : hasProcess == command.Length > 0 ? "Give a process (-p PID) or a command (after --), and not both."
            : command.Length > 0 && string.IsNullOrWhiteSpace(command[0]) ? "The command is empty."
            : !hasProcess && result.GetResult(Duration) is { Implicit: false } ? "--duration needs -p: a command is profiled until its end."
            : null;
    }

    /// <summary>Why a command line with <c>--diff</c> is not understood.</summary>
    private static string? WhyNot(CommandResult result, int fileCount, string[] command)
    {
        Option[] others = [Process, Duration, Frequency, Kernel, Tiers, Pprof, Folded, Json];
        return fileCount != 2 ? "--diff takes two files: BEFORE and AFTER."
            : Array.Find(others, option => result.GetResult(option) is { Implicit: false }) is { } other
                ? $"--diff compares two files: of the other options it takes --html and --svg, and not {other.Name}."
            : command.Length > 0 ? $"--diff compares two files, and runs no command: '{command[0]}'."
            : null;
    }

    internal static RecordOptions Read(ParseResult parsed) => new(
        new CpuProfilerOptions
        {
            ProcessId = parsed.GetValue(Process) is { } process ? Number(process, int.MaxValue) : null,
            Frequency = parsed.GetValue(Frequency) is { } frequency
                ? Number(frequency, CpuProfilerOptions.MaxFrequency)!.Value
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

    private static int? Number(string word, int most) =>
        int.TryParse(word, NumberStyles.None, CultureInfo.InvariantCulture, out int number) && number >= 1 && number <= most
            ? number
            : null;

    private static TimeSpan? Seconds(string word) =>
        double.TryParse(word, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out double seconds)
            && seconds is > 0 and <= MostSeconds
                ? TimeSpan.FromSeconds(seconds)
                : null;
}

/// <summary>The options of <c>picollo record</c>.</summary>
/// <param name="Profiler">What is sampled.</param>
/// <param name="Command">The command; null for a process that already runs.</param>
/// <param name="Duration">How long that process is profiled; null until its end.</param>
internal sealed record RecordOptions(CpuProfilerOptions Profiler, MeasuredCommand? Command, TimeSpan? Duration)
{
    public string? HtmlPath { get; init; }

    public string? SvgPath { get; init; }

    public string? PprofPath { get; init; }

    public string? FoldedPath { get; init; }

    public string? JsonPath { get; init; }
}
