using System.CommandLine;
using System.Globalization;
using Picollo.Cli.Shell;

namespace Picollo.Cli.Top;

/// <summary><c>picollo top</c>: its options.</summary>
internal static class TopCommand
{
    private static readonly Dictionary<string, TopSort> Fields = new(StringComparer.OrdinalIgnoreCase)
    {
        ["%CPU"] = TopSort.Cpu,
        ["%MEM"] = TopSort.Memory,
        ["RES"] = TopSort.Memory,
        ["%WAIT"] = TopSort.Wait,
        ["TIME+"] = TopSort.Time,
        ["PID"] = TopSort.Pid,
    };

    private const string Epilogue = """
        Columns:
          As top(1) has them, 100 %CPU being one CPU full; and %WAIT, the time that a
          process could have run and did not, for another ran on its CPU or its cgroup
          was throttled.

        Examples:
          picollo top
          picollo top -b -n 1 -o %MEM | head -20
          picollo top -H -p 1234 -d 1
          picollo top --json -d 1 -n 60 -p 1234 |
            jq '.processes[0].session.p99CpuShare'

        Exit codes:
          0    done, or left by q
          1    the machine cannot be read (no /proc), or there is no such process
          2    the command line is not understood
          130  interrupted by Ctrl+C (143: SIGTERM)
          141  nobody reads the output any more
        """;

    public static Command Create(Terminal terminal)
    {
        Option<bool> batch = new("-b", "--batch")
        {
            Description = "Write page after page as plain text; so it does where the output is no terminal.",
        };
        Option<string> delay = new("-d", "--delay")
        {
            HelpName = "SECS",
            Description = "Seconds between two samples, 0.1 and more; 3 unless given.",
        };
        Option<string> iterations = new("-n", "--iterations") { HelpName = "N", Description = "End after so many pages." };
        Option<string[]> pids = new("-p", "--pid") { HelpName = "PID,…", Description = "List these processes alone." };
        Option<string> user = new("-u", "--user")
        {
            HelpName = "USER",
            Description = "List this effective user's processes alone, by name or number.",
        };
        Option<bool> threads = new("-H", "--threads") { Description = "List threads." };
        Option<bool> perCpu = new("-1", "--per-cpu") { Description = "Show each CPU." };
        Option<bool> commandLine = new("-c", "--command-line") { Description = "Show command lines instead of names." };
        Option<string> sort = new("-o", "--sort")
        {
            HelpName = "FIELD",
            Description = "Order by %CPU, %MEM, %WAIT, TIME+ or PID, the largest first; -FIELD: the smallest.",
        };
        Option<string> width = new("-w", "--width")
        {
            HelpName = "N",
            Description = "Cut lines of -b at so many columns, not at the terminal's, or nowhere.",
        };
        Option<bool> secure = new("-s", "--secure") { Description = "Neither signal nor renice processes." };
        Option<bool> json = new("--json")
        {
            Description = "Write a line of JSON for each sample, with each process's share over the session.",
        };

        Command command = new("top", "What the machine's CPUs and processes do.")
        {
            batch, delay, iterations, pids, user, threads, perCpu, commandLine, sort, width, secure, json,
        };
        Check(delay, text => TopSettings.DelayOf(text) is not null, $"-d takes {TopSettings.Delays}.");
        Check(iterations, text => CountOf(text) is not null, "-n takes a number of pages, 1 and more.");
        Check(pids, text => text.Split(',').All(id => CountOf(id) is not null), "-p takes process ids with commas between.");
        Check(user, text => UserNames.TryFind(text, out _), text => $"-u: there is no user '{text}'.");
        Check(sort, text => Fields.ContainsKey(text.TrimStart('+', '-')), "-o takes %CPU, %MEM, %WAIT, TIME+ or PID.");
        Check(width, text => CountOf(text) is not null, "-w takes a number of columns, 1 and more.");
        command.SetAction(parsed =>
        {
            TopSettings settings = new()
            {
                Delay = TopSettings.DelayOf(parsed.GetValue(delay) ?? "3")!.Value,
                Iterations = CountOf(parsed.GetValue(iterations)),
                Pids = [.. (parsed.GetValue(pids) ?? []).SelectMany(text => text.Split(',')).Select(id => CountOf(id)!.Value)],
                User = parsed.GetValue(user) is { } name && UserNames.TryFind(name, out uint id) ? id : null,
                ShowThreads = parsed.GetValue(threads),
                PerCpu = parsed.GetValue(perCpu),
                ShowCommandLine = parsed.GetValue(commandLine),
                Sort = parsed.GetValue(sort) is { } field ? Fields[field.TrimStart('+', '-')] : TopSort.Cpu,
                IsReversed = parsed.GetValue(sort)?.StartsWith('-') ?? false,
                IsSecure = parsed.GetValue(secure),
            };
            using TopModel model = new(settings);
            bool isBatch = parsed.GetValue(batch)
                || WindowSize.Columns is null
                || Environment.GetEnvironmentVariable("TERM") is null or "" or "dumb";
            return parsed.GetValue(json) ? TopJson.Run(terminal, model, settings)
                : isBatch ? TopBatch.Run(terminal, model, settings, CountOf(parsed.GetValue(width)))
                : TopScreen.Run(terminal, model, settings);
        });
        CommandHelp.Append(command, Epilogue);
        return command;
    }

    // By each word as it was given: asked for a value, the parser throws where it has an error of its own.
    private static void Check(Option option, Func<string, bool> isRight, string reason) => Check(option, isRight, _ => reason);

    private static void Check(Option option, Func<string, bool> isRight, Func<string, string> reason) => option.Validators.Add(result =>
    {
        if (result.Tokens.FirstOrDefault(token => !isRight(token.Value)) is { } wrong)
        {
            result.AddError(reason(wrong.Value));
        }
    });

    private static int? CountOf(string? text) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int count) && count > 0 ? count : null;
}
