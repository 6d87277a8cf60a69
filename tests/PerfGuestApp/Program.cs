// Sessions, clocks and processors on a kernel with arbitrary settings. Prints "PASS check" or "FAIL check: why" for each check, and facts
// as "name=value", for tests that boot a machine with this program. Changes the kernel's settings, and must run as root.
using Picollo.PerfGuestApp;

Check.Run("tracefs-not-mounted", Tracepoints.NotMounted);
Check.Run("late-not-marked", Processors.NotMarked);
Kernel.MountTracing();

Check.Run("page-faults", Counting.PageFaults);
Check.Run("context-switches", Counting.ContextSwitches);
Check.Run("migrations", Counting.Migrations);
Check.Run("task-clock", Counting.TaskClock);
Check.Run("tracepoint", Tracepoints.Switches);
Check.Run("system-calls", Tracepoints.SystemCalls);
Check.Run("group", Tracepoints.OneCallForAGroup);

Check.Run("process", Targets.Process);
Check.Run("inherited", Targets.Inherited);
Check.Run("cpu", Targets.Cpus);

Check.Run("switching", Life.Switching);
Check.Run("refused", Life.Refused);
Check.Run("descriptors", Life.FilesAreClosed);

Check.Run("late-marked", Processors.Marked);
Check.Run("offline", Processors.OneIsOffline);
Check.Run("goes-offline", Processors.OneGoesOffline);

ThreadClocks.PrintFacts();
Permissions.PrintFacts();
