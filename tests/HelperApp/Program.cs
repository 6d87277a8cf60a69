using Picollo.HelperApp;
using Picollo.HelperApp.Faults;

// The first argument selects the program.
switch (args)
{
    case ["contracts"]: return Contracts.Run();
    case ["record-log", var path]: await LogRecording.Run(path); return 0;
    case ["serve-metrics", var number]: await Exposition.Run(number); return 0;

    case ["runtime"]: RuntimePauses.Run(); return 0;
    case ["runtime-starved"]: RuntimePauses.RunStarved(); return 0;
    case ["runtime-without-events"]: RuntimePauses.RunWithoutEvents(); return 0;

    case ["profiled"]: Profiled.Run(); return 0;
    case ["profiled-for", var milliseconds]: Profiled.RunFor(milliseconds); return 0;
    case ["profiled-threads"]: Profiled.RunThreads(); return 0;
    case ["profiled-deep"]: Profiled.RunDeep(); return 0;
    case ["profiled-unloaded"]: Profiled.RunUnloaded(); return 0;
    case ["profiled-replaced"]: Profiled.RunReplaced(); return 0;
    case ["profiled-forked"]: Profiled.RunForked(); return 0;
    case ["profiled-exec"]: Profiled.RunExec(); return 0;

    // Faults of a whole process: its limits, its user, its system calls. The findings are lines "name=value".
    case ["limits"]: Limits.Run(); return 0;
    case ["meter-limit"]: Limits.RunMeter(); return 0;
    case ["refused"]: Refusals.Run(); return 0;
    case ["seccomp"]: Seccomp.Run(); return 0;
    case ["run-queue"]: Seccomp.RunWithoutRunQueue(); Limits.RunWithoutRunQueue(); return 0;
    case ["small-groups"]: Seccomp.RunWithSmallGroups(); return 0;
    case ["ended-thread"]: Seccomp.RunWithEndedThread(); return 0;
    case ["library"]: LateLibrary.Run(); return 0;
    case ["tracepoint"]: Tracepoints.Run(); return 0;
    case ["dropped"]: Dropped.Run(); return 0;
    case ["jitter"]: Jitter.Run(); return 0;
    case ["jitter-break"]: Jitter.Break(); return 0;
    case ["jitter-stopped"]: Jitter.Stopped(); return 0;
    case ["jitter-left"]: Jitter.Left(); return 0;

    default:
        Console.Error.WriteLine("The first argument is the name of a program; see Program.cs.");
        return 2;
}
