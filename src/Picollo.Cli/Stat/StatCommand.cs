using System.CommandLine.Parsing;
using Picollo.Diagnostics;
using Picollo.PerfEvent;

namespace Picollo.Cli.Stat;

/// <summary>The <c>picollo stat</c> command: defines and validates its options.</summary>
internal static class StatCommand
{
    public const string Name = "stat";

    private const int MaxRuns = 1_000_000;

    /// <summary>The maximum number of compared commands, which are named A to Z.</summary>
    private const int MaxCommands = 26;

    private const string Epilogue = """
        Output:
          The report is written to standard error, or to FILE with -o. Standard output
          belongs to the command. With --json, one line of JSON for each run and result
          is written to standard output, and the output of the command is redirected to
          standard error; with -o FILE, it is not redirected.

        Examples:
          picollo stat -- gzip -k access.log
          picollo stat -e instructions,cycles,L1-dcache-load-misses -- ./parser big.txt
          picollo stat -r 20 -c 'sort words.txt | uniq -c > /dev/null'
          picollo stat -r 20 --compare 'gzip -c x' 'zstd -c x' 'xz -c x' > /dev/null
          picollo stat -r 20 --input big.txt --compare 'gzip -1' 'gzip -9' > /dev/null
          picollo stat -r 20 --warmup 2 --prepare 'rm -rf out' -- make
          picollo stat -p 1234 -I 1000
          picollo stat -p 1234 -- sleep 10
          picollo stat -r 20 --save main.json -- ./app
          picollo stat -r 20 --baseline main.json --fail-above 5% -- ./app
          picollo stat --json -r 5 -- make | jq 'select(.run).elapsedNanoseconds'

        Exit codes:
          the exit code of the command, or 128 + N if signal N terminated it; with
          several runs, including warm-up runs, the first one that is not 0; with -p,
          that of the command after --, or 0
          1     with -p or -I: the measurement is not possible
          2     invalid command line
          125   the tool itself failed: a file cannot be read or written, or nothing
                could be measured
          126   the command cannot be executed
          127   the command does not exist
          130   interrupted (143 by SIGTERM); the summary of completed runs is printed
          141   the reader of the output closed the pipe
          With --baseline, instead of the exit code of the command and 125:
          0     within the limit of --fail-above, if specified
          1     a run or a warm-up run failed, the baseline cannot be read, or the tool
                itself failed
          3     above the limit

        Standard input:
          Every run reads the same input, including warm-up runs. With < FILE, the file
          is rewound before each run to its position at the start. --input FILE opens
          the file for each run. A pipe can be read only once: a single run reads it.
          With several runs, each run reads /dev/null, and the report contains a note.
          On a terminal, each run reads what you type. The command of --prepare reads
          /dev/null, unless standard input is a terminal.

        Notes:
          Counters start at the first instruction of the command and include its child
          processes. Times, faults and memory include the child processes that the
          command waited for. With -c and --compare, processes that are still running
          when the command exits are killed. When the tool exits, it kills the command,
          unless the command runs as another user that you are not permitted to signal
          (sudo).
          --per-thread samples threads every 10 ms and can miss shorter ones; the report
          includes the CPU time of missed threads. --fail-above compares the means of
          the elapsed time, and fails if the whole 95 % confidence interval of the
          change is above the limit.
        """;

    private static readonly Option<string[]> Events = new("-e", "--event")
    {
        HelpName = "EVENTS",
        Description = "Comma-separated list of perf events to count, such as instructions, page-faults, LLC-load-misses, "
            + "r01c2, cpu/event=0x2e,umask=0x41/ or sched:sched_switch. A modifier selects user or kernel code: cycles:u, cycles:k.",
    };
    private static readonly Option<string?> Repeat = CommandOptions.Text(
        "-r", "--repeat", "N", "Run the command N times and show percentiles. [default: 1]");
    private static readonly Option<string?> Warmup = CommandOptions.Text(
        "--warmup", "N", "Number of warm-up runs before the measured runs. [default: 0]");
    private static readonly Option<string?> Prepare = CommandOptions.Text(
        "--prepare", "CMD", "Shell command (/bin/sh) to run before each run. It is not measured.");
    private static readonly Option<string?> Input = CommandOptions.Text(
        "--input", "FILE", "File to read as the standard input of the command. It is opened for each run.");
    private static readonly Option<string?> Text = CommandOptions.Text(
        "-c", "--command", "CMD", "Shell command (/bin/sh) to measure, in its own process group.");
    private static readonly Option<string[]> Compare = new("--compare")
    {
        HelpName = "A> <B> <...", // the help adds the outer angle brackets
        Description = "Shell commands (/bin/sh) to run alternately. Shows how each one differs from the first, with the effect size "
            + "(Cohen's d).",
        Arity = new ArgumentArity(2, MaxCommands),
        AllowMultipleArgumentsPerToken = true,
    };
    private static readonly Option<string?> Process = CommandOptions.Text(
        "-p", "--pid", "PID", "ID of a running process to measure. Stops when the process or CMD exits, or on Ctrl+C.");
    private static readonly Option<string?> Interval = CommandOptions.Text(
        "-I", "--interval", "MS", "Show the counters every MS milliseconds.");
    private static readonly Option<bool> PerThread = new("--per-thread")
    {
        Description = "Also show the CPU time of each thread.",
    };
    private static readonly Option<string?> Save = CommandOptions.Text("--save", "FILE", "Save the runs as a baseline file.");
    private static readonly Option<string?> Baseline = CommandOptions.Text("--baseline", "FILE", "Compare the runs with a saved baseline.");
    private static readonly Option<string?> FailAbove = CommandOptions.Text(
        "--fail-above", "PERCENT", "Exit with code 3 if the elapsed time increased by more than PERCENT, such as 5%. Requires --baseline.");
    private static readonly Option<string?> Markdown = CommandOptions.Text(
        "--export-markdown", "FILE", "Write the results to a file as a Markdown table.");
    private static readonly Option<bool> Json = new("--json") { Description = "Write JSON Lines instead of a table." };
    private static readonly Option<string?> Output = CommandOptions.Text(
        "-o", "--output", "FILE", "Write the report to a file. [default: standard error]");
    private static readonly Option<bool> Verbose = new("-v", "--verbose")
    {
        Description = "Show the full reasons why events are not counted.",
    };
    private static readonly Argument<string[]> Arguments = new("CMD")
    {
        Description = "The command and its arguments, after --.",
        Arity = ArgumentArity.ZeroOrMore,
    };

    static StatCommand()
    {
        Events.Validators.Add(result =>
        {
            try
            {
                _ = PerfEventCounterSession.Factory.WithPerfEvents(string.Join(',', Words(result)));
            }
            catch (ArgumentException e)
            {
                result.AddError(e.Message.Replace($" (Parameter '{e.ParamName}')", "", StringComparison.Ordinal));
            }
        });
        Repeat.Check(word => CommandOptions.Number(word, 1, MaxRuns) is not null, _ => $"-r must be a number of runs from 1 to {MaxRuns}.");
        Warmup.Check(
            word => CommandOptions.Number(word, 0, MaxRuns) is not null, _ => $"--warmup must be a number of runs from 0 to {MaxRuns}.");
        Process.Check(word => CommandOptions.Number(word, 1) is not null, word => $"-p must be a process ID, not '{word}'.");
        Interval.Check(word => CommandOptions.Number(word, 1) is not null, word => $"-I must be a number of milliseconds, not '{word}'.");
        FailAbove.Check(word => Percent(word) is not null, word => $"--fail-above must be a percentage such as 5%, not '{word}'.");
        Prepare.Check(word => !string.IsNullOrWhiteSpace(word), _ => "The command of --prepare is empty.");
    }

    public static Command Create(Terminal terminal)
    {
        Command command = new(Name, "Measure the time, memory and performance counters of a command.")
        {
            Events, Repeat, Warmup, Prepare, Input, Text, Compare, Process, Interval, PerThread, Save, Baseline, FailAbove, Markdown, Json,
            Output, Verbose, Arguments,
        };
        command.Check(Validate);
        command.SetAction(parsed => StatRunner.Run(terminal, Read(parsed)));
        CommandHelp.Append(command, Epilogue);
        return command;
    }

    // Uses the tokens, because the parser throws when reading the value of an option that already has an error.
    private static string? Validate(CommandResult result)
    {
        string[][] given = [Words(result.GetResult(Arguments)), Words(result.GetResult(Text)), Words(result.GetResult(Compare))];
        int commands = given.Count(words => words.Length > 0);
        bool isSeries = given[2].Length > 0 || Number(Words(result.GetResult(Repeat)), 1, MaxRuns) > 1;
        bool hasProcess = IsGiven(Process);
        return given[0] is [['-', ..] option, ..] ? $"Unrecognized option '{option}'."
            : (hasProcess ? commands > 1 : commands != 1)
                ? "Specify one command, after -- or with -c, or two or more commands with --compare."
            : given.Any(words => words.Length > 0 && string.IsNullOrWhiteSpace(words[0])) || given[2].Any(string.IsNullOrWhiteSpace)
                ? "The command is empty."
            : IsGiven(PerThread) && isSeries ? "--per-thread requires a single run of a single command."
            : IsGiven(Interval) && isSeries ? "-I requires a single run of a single command."
            : hasProcess && isSeries ? "-p cannot be combined with several runs or commands."
            : IsGiven(Input) && commands == 0 ? "--input requires a command."
            : hasProcess && (IsGiven(PerThread) || IsGiven(Warmup) || IsGiven(Prepare))
                ? "-p cannot be combined with --per-thread, --warmup or --prepare."
            : (IsGiven(Save) || IsGiven(Baseline)) && (given[2].Length > 0 || hasProcess)
                ? "--save and --baseline require a single command."
            : IsGiven(FailAbove) && !IsGiven(Baseline) ? "--fail-above requires --baseline."
            : IsGiven(FailAbove) && !isSeries ? "--fail-above requires several runs (-r) to estimate the variance."
            : null;

        bool IsGiven(Option option) => result.GetResult(option) is { Implicit: false };
    }

    internal static StatOptions Read(ParseResult parsed)
    {
        bool isJson = parsed.GetValue(Json);
        int? process = Number(Words(parsed.GetResult(Process)), 1, int.MaxValue);
        MeasuredCommand[] commands = parsed.GetValue(Compare) is { Length: > 1 } lines ? [.. lines.Select(MeasuredCommand.FromText)]
            : parsed.GetValue(Text) is { } line ? [MeasuredCommand.FromText(line)]
            : parsed.GetValue(Arguments) is [var program, .. var rest] ? [MeasuredCommand.FromArguments(program, rest)]
            : [];
        if (isJson && parsed.GetValue(Output) is null)
        {
            commands = [.. commands.Select(command => command.WithOutputToError())];
        }

        return new StatOptions(process is { } id ? [MeasuredCommand.OfProcess(id)] : commands)
        {
            Events = parsed.GetValue(Events) is { Length: > 0 } names ? string.Join(',', names) : null,
            Runs = Number(Words(parsed.GetResult(Repeat)), 1, MaxRuns) ?? 1,
            Warmups = Number(Words(parsed.GetResult(Warmup)), 0, MaxRuns) ?? 0,
            Preparation = parsed.GetValue(Prepare) is { } prepare ? MeasuredCommand.FromText(prepare).WithOutputToError() : null,
            InputPath = parsed.GetValue(Input),
            ProcessId = process,
            ConcurrentCommand = process is null ? null : commands.FirstOrDefault(),
            Interval = Number(Words(parsed.GetResult(Interval)), 1, int.MaxValue) is { } length ? TimeSpan.FromMilliseconds(length) : null,
            PerThread = parsed.GetValue(PerThread),
            SavePath = parsed.GetValue(Save),
            BaselinePath = parsed.GetValue(Baseline),
            Limit = parsed.GetValue(FailAbove) is { } limit ? Percent(limit) : null,
            MarkdownPath = parsed.GetValue(Markdown),
            IsJson = isJson,
            OutputPath = parsed.GetValue(Output),
            IsVerbose = parsed.GetValue(Verbose),
        };
    }

    private static string[] Words(SymbolResult? result) => result is null ? [] : [.. result.Tokens.Select(token => token.Value)];

    private static int? Number(string[] words, int min, int max) => CommandOptions.Number(words.LastOrDefault(), min, max);

    /// <summary>Parses a percentage, with or without a percent sign, as a share. Returns null if it is invalid.</summary>
    private static double? Percent(string word) =>
        double.TryParse(word.TrimEnd('%'), NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out double percent)
            && double.IsFinite(percent)
                ? percent / 100
                : null;
}

/// <param name="Commands">The command to measure, or the commands to compare.</param>
internal sealed record StatOptions(IReadOnlyList<MeasuredCommand> Commands)
{
    /// <summary>The events, named as in perf; null for the default events.</summary>
    public string? Events { get; init; }

    public int Runs { get; init; } = 1;

    public int Warmups { get; init; }

    public MeasuredCommand? Preparation { get; init; }

    /// <summary>The file that the runs read as standard input; null for the standard input of the tool.</summary>
    public string? InputPath { get; init; }

    public int TotalRuns => (Warmups + Runs) * Commands.Count;

    /// <summary>The ID of the process to measure instead of a command; null for none.</summary>
    public int? ProcessId { get; init; }

    /// <summary>The command that determines how long the process is measured; null for none.</summary>
    public MeasuredCommand? ConcurrentCommand { get; init; }

    /// <summary>The interval at which counters are shown; null to show them only at the end.</summary>
    public TimeSpan? Interval { get; init; }

    public bool PerThread { get; init; }

    public string? SavePath { get; init; }

    public string? BaselinePath { get; init; }

    /// <summary>The maximum permitted increase of the elapsed time, as a share; null for no limit.</summary>
    public double? Limit { get; init; }

    public string? MarkdownPath { get; init; }

    public bool IsJson { get; init; }

    public string? OutputPath { get; init; }

    public bool IsVerbose { get; init; }
}
