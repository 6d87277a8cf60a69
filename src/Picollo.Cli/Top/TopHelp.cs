namespace Picollo.Cli.Top;

/// <summary>What the keys do: a page of 80 columns and 24 lines.</summary>
internal static class TopHelp
{
    public static IEnumerable<TopLine> Lines(TopSettings settings)
    {
        yield return new("picollo top: keys", TopStyle.Bold);
        yield return new("");
        foreach (string line in Keys)
        {
            yield return new(line);
        }

        yield return new(settings.IsSecure
            ? "  k, r                 off: --secure"
            : "  k, r                 signal a process, or set its niceness: asks first");
        yield return new("  q, Ctrl+C            quit");
        yield return new("");
        yield return new("%WAIT: could have run and did not, for another ran on its CPU, or its cgroup");
        yield return new("was throttled. 100 %CPU is one CPU full.");
        yield return new("");
        yield return new("Any key goes back.", TopStyle.Reverse);
    }

    private static readonly string[] Keys =
    [
        "  P, M, T, N           order by %CPU, %MEM, TIME+, PID",
        "  R                    the other way round",
        "  1                    a line for each CPU",
        "  H                    threads instead of processes",
        "  c                    command lines instead of names",
        "  u                    one user's processes alone",
        "  p                    one process: its CPU use over the session, its threads",
        "  Up, Down, PageUp, PageDown, Home, End    move through the list",
        "  d, s                 seconds between two samples",
        "  Space, Enter         take one now",
        "  h, ?                 this page",
    ];
}
