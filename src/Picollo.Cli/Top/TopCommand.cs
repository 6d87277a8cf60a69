using System.CommandLine;
using System.Globalization;

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
          Those of top(1), where 100 %CPU is one full CPU; and %WAIT, the time in which
          threads could have run but waited, because another one ran on their CPU or
          their cgroup was throttled. It is the sum over all threads of the process, so
          it can be above 100.

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
            Description = "Write page after page as plain text, as if the output is not a terminal.",
        };
        Option<string?> delay = CommandOptions.Text(
            "-d", "--delay", "SECS", "Set the seconds between two samples, 0.1 and more. [default: 3]");
        Option<string?> iterations = CommandOptions.Text("-n", "--iterations", "N", "Stop after N pages.");
        Option<string[]> pids = new("-p", "--pid") { HelpName = "PID,…", Description = "List only these processes." };
        Option<string?> user = CommandOptions.Text(
            "-u", "--user", "USER", "List only the processes of this effective user, by name or number.");
        Option<bool> threads = new("-H", "--threads") { Description = "List threads." };
        Option<bool> perCpu = new("-1", "--per-cpu") { Description = "Show each CPU." };
        Option<bool> commandLine = new("-c", "--command-line") { Description = "Show command lines instead of names." };
        Option<string?> sort = CommandOptions.Text(
            "-o", "--sort", "FIELD", "Order by %CPU, %MEM, %WAIT, TIME+ or PID, the largest first; -FIELD: the smallest. [default: %CPU]");
        Option<string?> width = CommandOptions.Text(
            "-w", "--width", "N", "Cut the lines of -b at N columns. [default: the terminal's width]");
        Option<bool> secure = new("-s", "--secure") { Description = "Neither signal nor renice processes." };
        Option<bool> json = new("--json")
        {
            Description = "Write a line of JSON for each sample, with each process's share over the session.",
        };

        Command command = new("top", "Show the machine's CPUs and processes.")
        {
            batch, delay, iterations, pids, user, threads, perCpu, commandLine, sort, width, secure, json,
        };
        delay.Check(text => TopSettings.DelayOf(text) is not null, _ => $"-d takes {TopSettings.Delays}.");
        iterations.Check(text => CountOf(text) is not null, _ => "-n takes a number of pages, 1 and more.");
        pids.Check(text => text.Split(',').All(id => CountOf(id) is not null), _ => "-p takes process ids with commas between.");
        user.Check(text => Users.TryFind(text, out _), text => $"-u: there is no user '{text}'.");
        sort.Check(text => Fields.ContainsKey(text.TrimStart('+', '-')), _ => "-o takes %CPU, %MEM, %WAIT, TIME+ or PID.");
        width.Check(text => CountOf(text) is not null, _ => "-w takes a number of columns, 1 and more.");
        command.SetAction(parsed =>
        {
            TopSettings settings = new()
            {
                Delay = TopSettings.DelayOf(parsed.GetValue(delay) ?? "3")!.Value,
                Iterations = CountOf(parsed.GetValue(iterations)),
                Pids = [.. (parsed.GetValue(pids) ?? []).SelectMany(text => text.Split(',')).Select(id => CountOf(id)!.Value)],
                User = parsed.GetValue(user) is { } name && Users.TryFind(name, out uint id) ? id : null,
                ShowThreads = parsed.GetValue(threads),
                PerCpu = parsed.GetValue(perCpu),
                ShowCommandLine = parsed.GetValue(commandLine),
                Sort = parsed.GetValue(sort) is { } field ? Fields[field.TrimStart('+', '-')] : TopSort.Cpu,
                IsReversed = parsed.GetValue(sort)?.StartsWith('-') ?? false,
                IsSecure = parsed.GetValue(secure),
            };
            using TopModel model = new(settings);
            bool isBatch = parsed.GetValue(batch)
                || Terminal.WindowColumns is null
                || Environment.GetEnvironmentVariable("TERM") is null or "" or "dumb";
            return parsed.GetValue(json) ? TopJson.Run(terminal, model, settings)
                : isBatch ? TopBatch.Run(terminal, model, settings, CountOf(parsed.GetValue(width)))
                : TopScreen.Run(terminal, model, settings);
        });
        CommandHelp.Append(command, Epilogue);
        return command;
    }

    private static int? CountOf(string? text) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int count) && count > 0 ? count : null;
}
