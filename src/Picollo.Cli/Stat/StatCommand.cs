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
          picollo stat -r 20 --compare 'gzip -c x' 'zstd -c x' > /dev/null
          picollo stat --json -r 5 -- make | jq 'select(.run).elapsedNanoseconds'

        Exit codes:
          the command's own, 128 + N where signal N ended it; of several runs the first
          that is not 0
          2     the command line is not understood
          125   the tool itself failed: nothing could be measured or written
          126   the command cannot be executed
          127   there is no such command
          130   interrupted (143: SIGTERM); the summary of what has run is printed
          141   nobody reads the output any more

        Notes:
          Counters begin with the command's first instruction and count what it
          starts; times, faults and memory are of the command and of those it waited
          for. With -c and --compare, what is left of the command's processes at its
          end is killed. The end of the tool kills the command, unless that runs as
          another user whom you may not signal, such as sudo. --per-thread looks every
          10 ms: threads that live for less may not be seen, and it says how much CPU
          time that makes.
        """;

    public static Command Create(Terminal terminal)
    {
        Option<string[]> events = new("-e", "--event")
        {
            HelpName = "EVENTS",
            Description = "Events to count, as perf names them, with commas between: instructions, page-faults, LLC-load-misses, "
                + "r01c2, cpu/event=0x2e,umask=0x41/, sched:sched_switch.",
        };
        Option<string?> repeat = CommandOptions.Text("-r", "--repeat", "N", "Run the command N times, and show percentiles.");
        Option<bool> perThread = new("--per-thread") { Description = "Show the CPU time of the command's threads, too." };
        Option<string?> text = CommandOptions.Text(
            "-c", "--command", "CMD", "The command as a line for /bin/sh, in a process group of its own.");
        Option<string[]> compare = new("--compare")
        {
            HelpName = "A> <B",
            Description = "Run two lines for /bin/sh in turn, and show the difference and its size (Cohen's d).",
            Arity = new ArgumentArity(2, 2),
            AllowMultipleArgumentsPerToken = true,
        };
        Option<bool> json = new("--json") { Description = "Write JSON Lines instead of a table." };
        Option<string?> output = CommandOptions.Text("-o", "--output", "FILE", "Where the report goes.");
        Argument<string[]> arguments = new("CMD")
        {
            Description = "The command and its arguments, after --.",
            Arity = ArgumentArity.ZeroOrMore,
        };

        Command command = new(Name, "What a command costs: time, memory, counters.")
        {
            events, repeat, perThread, text, compare, json, output, arguments,
        };
        events.Validators.Add(result =>
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
        repeat.Check(word => RunsOf([word]) is not null, _ => $"-r takes a number of runs, 1 to {MostRuns}.");
        // By the words as they were given: the parser throws if it is asked for the value of an option that already has an error.
        command.Validators.Add(result =>
        {
            string[][] given = [Words(result.GetResult(arguments)), Words(result.GetResult(text)), Words(result.GetResult(compare))];
            string? reason = given.Count(words => words.Length > 0) != 1
                    ? "One command is needed: after --, with -c, or two with --compare."
                : given.Any(words => words.Length > 0 && string.IsNullOrWhiteSpace(words[0])) || given[2].Any(string.IsNullOrWhiteSpace)
                    ? "The command is empty."
                : result.GetResult(perThread) is { Implicit: false } && (given[2].Length > 0 || RunsOf(Words(result.GetResult(repeat))) > 1)
                    ? "--per-thread is of one run of one command."
                : null;
            if (reason is not null)
            {
                result.AddError(reason);
            }
        });
        command.SetAction(parsed =>
        {
            bool isJson = parsed.GetValue(json);
            string? path = parsed.GetValue(output);
            bool toError = isJson && path is null;
            IEnumerable<MeasuredCommand> commands = parsed.GetValue(compare) is { Length: 2 } pair ? pair.Select(MeasuredCommand.FromText)
                : parsed.GetValue(text) is { } line ? [MeasuredCommand.FromText(line)]
                : [MeasuredCommand.FromArguments(parsed.GetValue(arguments)![0], parsed.GetValue(arguments).AsSpan(1))];
            commands = toError ? commands.Select(each => each.WithOutputToError()) : commands;
            StatOptions options = new(
                [.. commands],
                parsed.GetValue(events) is { Length: > 0 } names ? string.Join(',', names) : null,
                RunsOf(Words(parsed.GetResult(repeat)))!.Value,
                parsed.GetValue(perThread),
                isJson,
                path);
            return StatRunner.Run(terminal, options);
        });
        CommandHelp.Append(command, Epilogue);
        return command;
    }

    private static string[] Words(SymbolResult? result) => result is null ? [] : [.. result.Tokens.Select(token => token.Value)];

    /// <summary>The number of runs, 1 by default; null if it is invalid.</summary>
    private static int? RunsOf(string[] words) => words.Length == 0 ? 1
        : int.TryParse(words[^1], NumberStyles.None, CultureInfo.InvariantCulture, out int runs) && runs is >= 1 and <= MostRuns ? runs
        : null;
}

/// <summary>The options of <c>picollo stat</c>.</summary>
/// <param name="Commands">One, or the two that are compared.</param>
/// <param name="Events">As perf names them; null for the default events.</param>
internal sealed record StatOptions(
    IReadOnlyList<MeasuredCommand> Commands, string? Events, int Runs, bool PerThread, bool IsJson, string? OutputPath);
