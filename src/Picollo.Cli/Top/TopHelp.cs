namespace Picollo.Cli.Top;

/// <summary>Describes the keys: a page of 80 columns and 24 lines.</summary>
internal static class TopHelp
{
    public static IEnumerable<ScreenLine> Lines(TopSettings settings)
    {
        string signals = settings.IsSecure ? "off: --secure" : "signal a process, or set its niceness: asks first";
        string text = $"""

              P, M, T, N           order by %CPU, %MEM, TIME+, PID
              R                    the other way round
              1                    a line for each CPU
              H                    threads instead of processes
              c                    command lines instead of names
              u                    only one user's processes
              /, o                 only processes whose command or user contains a text
              p                    one process: its CPU use over the session, its threads
              Up, Down, PageUp, PageDown, Home, End    move through the list
              d, s                 seconds between two samples
              Space, Enter         take one now
              h, ?                 this page
              k, r                 {signals}
              q, Ctrl+C            quit

            100 %CPU is one full CPU. %WAIT is the time in which threads could have run but
            waited, because another one ran on their CPU or their cgroup was throttled. It
            is the sum over all threads of the process, so it can be above 100.
            NI: with autogroups (sched(7)), the kernel shares the CPUs among the terminal
            sessions first. A process's niceness counts only within its session.

            """;
        return
        [
            new("picollo top: keys", LineStyle.Bold),
            .. text.Split('\n').Select(line => new ScreenLine(line)),
            new("Any key goes back.", LineStyle.Reverse),
        ];
    }
}
