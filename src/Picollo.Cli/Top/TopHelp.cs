namespace Picollo.Cli.Top;

/// <summary>Describes the keys on a page of 80 columns and 24 lines.</summary>
internal static class TopHelp
{
    public static IEnumerable<ScreenLine> Lines(TopSettings settings)
    {
        string signals = settings.IsSecure ? "disabled by --secure" : "signal a process, or set its niceness (asks first)";
        string text = $"""

              P, M, T, N           sort by %CPU, %MEM, TIME+, PID
              R                    reverse the sort order
              1                    toggle one line for each CPU
              H                    toggle threads and processes
              c                    toggle command lines and names
              u                    list the processes of one user
              /, o                 list processes whose command or user contains the text
              p                    show one process: CPU usage over the session, threads
              Up, Down, PageUp, PageDown, Home, End    scroll the list
              d, s                 set the seconds between samples
              Space, Enter         take a sample now
              h, ?                 show this page
              k, r                 {signals}
              q, Ctrl+C            quit

            100 %CPU is one full CPU. %WAIT is the time in which threads were runnable but
            had to wait, because another thread ran on their CPU or their cgroup was
            throttled. It is the sum over all threads of the process, so it can exceed 100.
            NI: with autogroups (sched(7)), the kernel first shares the CPUs among the
            terminal sessions. The niceness of a process applies only within its session.

            """;
        return
        [
            new("picollo top: keys", LineStyle.Bold),
            .. text.Split('\n').Select(line => new ScreenLine(line)),
            new("Press any key to return.", LineStyle.Reverse),
        ];
    }
}
