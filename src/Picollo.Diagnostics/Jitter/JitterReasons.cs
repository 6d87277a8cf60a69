using System.Runtime.InteropServices;

namespace Picollo.Diagnostics;

/// <summary>What a <see cref="JitterMeter"/> does without, or cannot do: each what, why, and a remedy.</summary>
internal static class JitterReasons
{
    public const string NoShim =
        "The native library cannot be used (CycleClock.UnavailableReason says why): the loops are managed code, and a collection of this "
        + "process's garbage shows as latency.";

    public static string NotRealTime(int priority, int error) =>
        $"SCHED_FIFO at priority {priority} is refused ({Message(error)}): the threads have an ordinary priority, and wait for others "
        + $"as any thread does. Run as root or with CAP_SYS_NICE, or permit it (ulimit -r {priority}); in a control group, give it "
        + "real-time run time (cpu.rt_runtime_us).";

    public static string NotLocked(int error) =>
        $"The meter's memory is not locked ({Message(error)}): what the kernel takes away of it shows as latency when it is fetched again. "
        + "Run as root or with CAP_IPC_LOCK, or permit more (ulimit -l).";

    public static string MaySleepDeeply(string message) =>
        $"/dev/cpu_dma_latency is not held at 0 ({message.TrimEnd('.')}): the CPUs may sleep deeply, and waking them takes longer. "
        + "Root may write it.";

    public const string CannotKeepUp =
        "The wake-ups take longer than the interval: a second after the duration there were still some to be caught up, "
        + "and the measurement ended without them. Choose a longer interval.";

    public static string NotWhereItWasPut(int cpu) =>
        $"CPU {cpu} went offline, or its thread was moved from it, and its measurement ended.";

    public static string NotPinned(int cpu, int error) =>
        $"The thread of CPU {cpu} could not be pinned to it ({Message(error)}): the CPU went offline, or the cpuset changed.";

    public static string NoSleep(int error) =>
        $"The system refused clock_nanosleep(2) ({Message(error)}), probably by a filter of system calls (seccomp): allow it.";

    public const string NoThreadId =
        "This system does not tell a thread its id: a filter of system calls (seccomp) refuses gettid(2); allow it.";

    public const string NoAffinity =
        "This system does not tell which CPUs this process may run on: a filter of system calls (seccomp) refuses sched_getaffinity(2); "
        + "allow it.";

    private static string Message(int error) => Marshal.GetPInvokeErrorMessage(error);
}

/// <summary>What is not as asked, each once however many threads find it. Thread-safe; a list that was read does not change.</summary>
internal sealed class ReasonList
{
    private readonly Lock _gate = new();
    private volatile string[] _all = [];

    public IReadOnlyList<string> All => _all;

    public void Add(string reason)
    {
        lock (_gate)
        {
            if (!_all.Contains(reason))
            {
                _all = [.. _all, reason];
            }
        }
    }
}
