using Picollo.PerfFaultsApp;

// One word says what to do; the findings are lines "name=value".
switch (args)
{
    case ["limits"]: Limits.Run(); return 0;
    case ["refused"]: Refusals.Run(); return 0;
    case ["seccomp"]: Seccomp.Run(); return 0;
    case ["small-groups"]: Seccomp.RunWithSmallGroups(); return 0;
    case ["ended-thread"]: Seccomp.RunWithEndedThread(); return 0;
    case ["library"]: LateLibrary.Run(); return 0;
    case ["tracepoint"]: Tracepoints.Run(); return 0;
    case ["dropped"]: Dropped.Run(); return 0;
    case ["jitter"]: Jitter.Run(); return 0;
    case ["jitter-break"]: Jitter.Break(); return 0;
    case ["jitter-stopped"]: Jitter.Stopped(); return 0;
    case ["jitter-left"]: Jitter.Left(); return 0;
    default: Console.Error.WriteLine("limits, refused, seccomp, small-groups, ended-thread, library, tracepoint, dropped, jitter or jitter-break, -stopped, -left"); return 2;
}
