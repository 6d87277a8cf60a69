using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;
using Picollo.Diagnostics;
using Picollo.PerfEvent;

namespace Picollo.Cli.Stat;

/// <summary><c>picollo stat</c>: its options and their checks.</summary>
internal static class StatCommand
{
    public const string Name = "stat";

    private const int MostRuns = 1_000_000;

    /// <summary>Commands are named by a letter each.</summary>
    private const int MostCommands = 26;

    private const string Epilogue = """
        Output:
          The report goes to standard error, or to FILE; the command's own output
          stays its own. With --json it goes to standard output, a line of JSON for
          each run and result, and what the command writes there goes to standard
          error; with -o FILE both stay where they were.

        Examples:
          picollo stat -- gzip -k access.log
          picollo stat -e instructions,cycles,L1-dcache-load-misses -- ./parser big.txt
          picollo stat -r 20 -c 'sort words.txt | uniq -c > /dev/null'
          picollo stat -r 20 --compare 'gzip -c x' 'zstd -c x' 'xz -c x' > /dev/null
          picollo stat -r 20 --warmup 2 --prepare 'rm -rf out' -- make
          picollo stat -p 1234 -I 1000
          picollo stat -p 1234 -- sleep 10
          picollo stat -r 20 --save main.json -- ./app
          picollo stat -r 20 --baseline main.json --fail-above 5% -- ./app
          picollo stat --json -r 5 -- make | jq 'select(.run).elapsedNanoseconds'

        Exit codes:
          the command's own, 128 + N where signal N ended it; of several runs the first
          that is not 0; with -p, 0 or that of the command after --
          1     with -p or -I: it cannot be measured here
          2     the command line is not understood
          125   the tool itself failed: nothing could be measured or written
          126   the command cannot be executed
          127   there is no such command
          130   interrupted (143: SIGTERM); the summary of what has run is printed
          141   nobody reads the output any more
          With --baseline instead of the command's own and 125:
          0     within the limit of --fail-above, if one is given
          1     a run failed, the baseline cannot be read, or the tool itself failed
          3     above the limit

        Notes:
          Counters begin with the command's first instruction and count what it
          starts; times, faults and memory are of the command and of those it waited
          for. With -c and --compare, what is left of the command's processes at its
          end is killed. The end of the tool kills the command, unless that runs as
          another user whom you may not signal, such as sudo. --per-thread looks every
          10 ms: threads that live for less may not be seen, and it says how much CPU
          time that makes. --fail-above compares the means of the elapsed time, and
          fails if the whole 95% confidence interval of the change is above the limit.
        """;

    private static readonly Option<string[]> Events = new("-e", "--event")
    {
        HelpName = "EVENTS",
        Description = "Count these events, named as in perf, with commas between: instructions, page-faults, LLC-load-misses, "
            + "r01c2, cpu/event=0x2e,umask=0x41/, sched:sched_switch.",
    };
    private static readonly Option<string?> Repeat = CommandOptions.Text(
        "-r", "--repeat", "N", "Run the command N times, and show percentiles. [default: 1]");
    private static readonly Option<string?> Warmup = CommandOptions.Text(
        "--warmup", "N", "Run the command N times before that, unmeasured.");
    private static readonly Option<string?> Prepare = CommandOptions.Text(
        "--prepare", "CMD", "Run a line for /bin/sh before each run, unmeasured.");
    private static readonly Option<string?> Text = CommandOptions.Text(
        "-c", "--command", "CMD", "Run a line for /bin/sh, in a process group of its own.");
    private static readonly Option<string[]> Compare = new("--compare")
    {
        HelpName = "A> <B> <...",
        Description = "Run lines for /bin/sh in turn, and show how the others differ from the first, and by how much of the scatter "
            + "(Cohen's d).",
        Arity = new ArgumentArity(2, MostCommands),
        AllowMultipleArgumentsPerToken = true,
    };
    private static readonly Option<string?> Process = CommandOptions.Text(
        "-p", "--pid", "PID", "Measure a process that runs already, until its end, Ctrl+C, or the end of the command.");
    private static readonly Option<string?> Interval = CommandOptions.Text(
        "-I", "--interval", "MS", "Show what the counters count in each interval of MS milliseconds.");
    private static readonly Option<bool> PerThread = new("--per-thread")
    {
        Description = "Show the CPU time of the command's threads, too.",
    };
    private static readonly Option<string?> Save = CommandOptions.Text("--save", "FILE", "Save the runs as a baseline.");
    private static readonly Option<string?> Baseline = CommandOptions.Text("--baseline", "FILE", "Compare with a saved baseline.");
    private static readonly Option<string?> FailAbove = CommandOptions.Text(
        "--fail-above", "PERCENT", "With --baseline: end with exit code 3 if the elapsed time has grown by more, such as 5%.");
    private static readonly Option<string?> Markdown = CommandOptions.Text(
        "--export-markdown", "FILE", "Write the results as a Markdown table.");
    private static readonly Option<bool> Json = new("--json") { Description = "Write JSON Lines instead of a table." };
    private static readonly Option<string?> Output = CommandOptions.Text(
        "-o", "--output", "FILE", "Write the report to a file. [default: standard error]");
    private static readonly Option<bool> Verbose = new("-v", "--verbose") { Description = "Say in full why something is not counted." };
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
        Repeat.Check(word => Number(word, 1, MostRuns) is not null, _ => $"-r takes a number of runs, 1 to {MostRuns}.");
        Warmup.Check(word => Number(word, 0, MostRuns) is not null, _ => $"--warmup takes a number of runs, 0 to {MostRuns}.");
        Process.Check(word => Number(word, 1, int.MaxValue) is not null, word => $"-p takes the ID of a process, not '{word}'.");
        Interval.Check(word => Number(word, 1, int.MaxValue) is not null, word => $"-I takes a number of milliseconds, not '{word}'.");
        FailAbove.Check(word => Percent(word) is not null, word => $"--fail-above takes a percentage such as 5%, not '{word}'.");
        Prepare.Check(word => !string.IsNullOrWhiteSpace(word), _ => "The command of --prepare is empty.");
    }

    public static Command Create(Terminal terminal)
    {
        Command command = new(Name, "Measure what a command costs: time, memory, counters.")
        {
            Events, Repeat, Warmup, Prepare, Text, Compare, Process, Interval, PerThread, Save, Baseline, FailAbove, Markdown, Json, Output,
            Verbose, Arguments,
        };
        command.Validators.Add(result =>
        {
            if (WhyNot(result) is { } reason)
            {
                result.AddError(reason);
            }
        });
        command.SetAction(parsed => StatRunner.Run(terminal, Read(parsed)));
        CommandHelp.Append(command, Epilogue);
        return command;
    }

    // By the words as they were given: the parser throws if it is asked for the value of an option that already has an error.
    private static string? WhyNot(CommandResult result)
    {
        string[][] given = [Words(result.GetResult(Arguments)), Words(result.GetResult(Text)), Words(result.GetResult(Compare))];
        int commands = given.Count(words => words.Length > 0);
        bool isSeries = given[2].Length > 0 || Number(Words(result.GetResult(Repeat)), 1, MostRuns) > 1;
        bool hasProcess = IsGiven(Process);
        return (hasProcess ? commands > 1 : commands != 1) ? "One command is needed: after --, with -c, or two or more with --compare."
            : given.Any(words => words.Length > 0 && string.IsNullOrWhiteSpace(words[0])) || given[2].Any(string.IsNullOrWhiteSpace)
                ? "The command is empty."
            : IsGiven(PerThread) && isSeries ? "--per-thread is of one run of one command."
            : IsGiven(Interval) && isSeries ? "-I is of one run of one command."
            : hasProcess && isSeries ? "-p is of one process, measured once."
            : hasProcess && (IsGiven(PerThread) || IsGiven(Warmup) || IsGiven(Prepare)) ? "-p is of a process that runs already."
            : (IsGiven(Save) || IsGiven(Baseline)) && (given[2].Length > 0 || hasProcess) ? "A baseline is of one command."
            : IsGiven(FailAbove) && !IsGiven(Baseline) ? "--fail-above needs --baseline."
            : IsGiven(FailAbove) && !isSeries ? "--fail-above needs several runs (-r), by whose scatter it tells a change from chance."
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
            Runs = Number(Words(parsed.GetResult(Repeat)), 1, MostRuns) ?? 1,
            Warmups = Number(Words(parsed.GetResult(Warmup)), 0, MostRuns) ?? 0,
            Preparation = parsed.GetValue(Prepare) is { } prepare ? MeasuredCommand.FromText(prepare).WithOutputToError() : null,
            ProcessId = process,
            Meanwhile = process is null ? null : commands.FirstOrDefault(),
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

    private static int? Number(string[] words, int least, int most) => words.Length == 0 ? null : Number(words[^1], least, most);

    private static int? Number(string word, int least, int most) =>
        int.TryParse(word, NumberStyles.None, CultureInfo.InvariantCulture, out int number) && number >= least && number <= most
            ? number
            : null;

    /// <summary>A share, of a percentage with or without its sign; null if it is none.</summary>
    private static double? Percent(string word) =>
        double.TryParse(word.TrimEnd('%'), NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out double percent)
            && double.IsFinite(percent)
                ? percent / 100
                : null;
}

/// <summary>The options of <c>picollo stat</c>.</summary>
/// <param name="Commands">One, or those that are compared.</param>
internal sealed record StatOptions(IReadOnlyList<MeasuredCommand> Commands)
{
    /// <summary>As perf names them; null for the default events.</summary>
    public string? Events { get; init; }

    public int Runs { get; init; } = 1;

    /// <summary>Unmeasured runs before the others.</summary>
    public int Warmups { get; init; }

    /// <summary>What runs before each run; null for nothing.</summary>
    public MeasuredCommand? Preparation { get; init; }

    /// <summary>The process that is measured instead of a command; null for none.</summary>
    public int? ProcessId { get; init; }

    /// <summary>The command during which the process is measured; null for none.</summary>
    public MeasuredCommand? Meanwhile { get; init; }

    /// <summary>How often the counters are shown; null for at the end only.</summary>
    public TimeSpan? Interval { get; init; }

    public bool PerThread { get; init; }

    public string? SavePath { get; init; }

    public string? BaselinePath { get; init; }

    /// <summary>The largest permitted growth of the elapsed time, as a share; null for any.</summary>
    public double? Limit { get; init; }

    public string? MarkdownPath { get; init; }

    public bool IsJson { get; init; }

    public string? OutputPath { get; init; }

    public bool IsVerbose { get; init; }
}
