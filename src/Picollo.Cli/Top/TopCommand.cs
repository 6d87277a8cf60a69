namespace Picollo.Cli.Top;

/// <summary>The <c>picollo top</c> command: defines and validates its options.</summary>
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
          The columns are those of top(1), where 100 %CPU is one full CPU, and %WAIT.
          %WAIT is the time in which threads were runnable but had to wait, because
          another thread ran on their CPU or their cgroup was throttled. It is the sum
          over all threads of the process, so it can exceed 100.

        Keys:
          Press h on the interactive screen for the list of keys.

        Examples:
          picollo top
          picollo top -b -n 1 -o %MEM | head -20
          picollo top -H -p 1234 -d 1
          picollo top --json -d 1 -n 60 -p 1234 |
            jq '.processes[0].session.p99CpuShare'

        Exit codes:
          0    success
          1    system data cannot be read (no /proc), or the process does not exist
          2    invalid command line
          130  interrupted by Ctrl+C (143 by SIGTERM)
          141  the reader of the output closed the pipe
        """;

    public static Command Create(Terminal terminal)
    {
        Option<bool> batch = new("-b", "--batch")
        {
            Description = "Write pages as plain text (batch mode). [default if the output is not a terminal]",
        };
        Option<string?> delay = CommandOptions.Text(
            "-d", "--delay", "SECS", "Time between samples, 0.1 to 1000000 seconds. [default: 3]");
        Option<string?> iterations = CommandOptions.Text("-n", "--iterations", "N", "Stop after N pages. [default: no limit]");
        Option<string[]> pids = new("-p", "--pid")
        {
            HelpName = "PID[,PID...]",
            Description = "IDs of the processes to list, separated by commas. [default: all]",
        };
        Option<string?> user = CommandOptions.Text(
            "-u", "--user", "USER", "Name or ID of the effective user whose processes to list. [default: all]");
        Option<bool> threads = new("-H", "--threads") { Description = "List threads instead of processes." };
        Option<bool> perCpu = new("-1", "--per-cpu") { Description = "Show one line for each CPU." };
        Option<bool> commandLine = new("-c", "--command-line") { Description = "Show command lines instead of names." };
        Option<string?> sort = CommandOptions.Text(
            "-o", "--sort", "FIELD", "Sort order: %CPU, %MEM, %WAIT, TIME+ or PID, descending; -FIELD for ascending. [default: %CPU]");
        Option<string?> width = CommandOptions.Text(
            "-w", "--width", "N", "Truncate the lines of -b to N columns. [default: the terminal's width; unlimited without a terminal]");
        Option<bool> secure = new("-s", "--secure") { Description = "Disable signals and niceness changes." };
        Option<bool> json = new("--json")
        {
            Description = "Write one line of JSON for each sample, including CPU shares over the session.",
        };

        Command command = new("top", "Show the CPU usage of the machine and its processes.")
        {
            batch, delay, iterations, pids, user, threads, perCpu, commandLine, sort, width, secure, json,
        };
        delay.Check(text => TopSettings.DelayOf(text) is not null, _ => $"-d must be {TopSettings.Delays}.");
        iterations.Check(text => CommandOptions.Number(text, 1) is not null, _ => "-n must be a number of pages, 1 or more.");
        pids.Check(
            text => text.Split(',').All(id => CommandOptions.Number(id, 1) is not null),
            _ => "-p must be process IDs separated by commas.");
        user.Check(text => Users.TryFind(text, out _), text => $"-u: user '{text}' does not exist.");
        sort.Check(text => Fields.ContainsKey(text.TrimStart('+', '-')), _ => "-o must be %CPU, %MEM, %WAIT, TIME+ or PID.");
        width.Check(text => CommandOptions.Number(text, 1) is not null, _ => "-w must be a number of columns, 1 or more.");
        command.SetAction(parsed =>
        {
            TopSettings settings = new()
            {
                Delay = TopSettings.DelayOf(parsed.GetValue(delay) ?? "3")!.Value,
                Iterations = CommandOptions.Number(parsed.GetValue(iterations), 1),
                Pids =
                [
                    .. (parsed.GetValue(pids) ?? []).SelectMany(text => text.Split(',')).Select(id => CommandOptions.Number(id, 1)!.Value),
                ],
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
                : isBatch ? TopBatch.Run(terminal, model, settings, CommandOptions.Number(parsed.GetValue(width), 1))
                : TopScreen.Run(terminal, model, settings);
        });
        CommandHelp.Append(command, Epilogue);
        return command;
    }
}
