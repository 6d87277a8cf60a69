using Picollo.Cpu.Linux;

namespace Picollo.Diagnostics;

/// <summary>The messages of a <see cref="JitterMeter"/> about refused functions, each with its cause and a remedy.</summary>
internal static class JitterReasons
{
    public const string NoShim =
        "The native library is unavailable (see CycleClock.UnavailableReason), so the measuring loops are managed code, and garbage "
        + "collections of this process show as latency.";

    public static string NoRealTimePriority(int priority, int error, LinuxRights rights) =>
        $"SCHED_FIFO at priority {priority} was refused ({Message(error)}). The threads have an ordinary priority and wait for other "
        + "threads. "
        + (rights.Has(LinuxCapability.SYS_NICE)
            ? "Set cpu.rt_runtime_us of the control group, or allow the call in the seccomp profile."
            : $"Remedy: {rights.Remedy(LinuxCapability.SYS_NICE)}{LimitsLine(rights, "rtprio", $"{priority}")}. In a control group, "
                + "set cpu.rt_runtime_us.");

    public static string NotLocked(int error, LinuxRights rights) =>
        $"The meter's memory is not locked ({Message(error)}). If the kernel reclaims it, reloading it shows as latency."
        + (rights.Has(LinuxCapability.IPC_LOCK)
            ? ""
            : $" Remedy: {rights.Remedy(LinuxCapability.IPC_LOCK)}{LimitsLine(rights, "memlock", "unlimited")}.");

    private static string LimitsLine(LinuxRights rights, string limit, string value) => rights.AreContained
        ? $", or raise the limit of the container (--ulimit {limit}={(value == "unlimited" ? "-1" : value)})"
        : $", or have root add the line `USER - {limit} {value}` to /etc/security/limits.conf and log in again";

    public static string DeepSleepPossible(string message, LinuxRights rights) =>
        $"/dev/cpu_dma_latency is not held at 0 ({message.TrimEnd('.')}), so CPUs can enter deep sleep states and take longer to wake up. "
        + (rights.IsRoot ? "In a container, add the device (--device /dev/cpu_dma_latency)." : "Run as root, which can write to it.");

    public const string CannotKeepUp =
        "The wake-ups take longer than the interval: one second after the end of the duration, some were still pending, and the "
        + "measurement ended without them. Choose a longer interval.";

    public static string NoLongerPinned(int cpu) =>
        $"CPU {cpu} went offline, or its thread was moved to another CPU. Its measurement ended.";

    public static MeasurementUnavailableException NotPinned(int cpu, int error) => new(
        $"CPU {cpu} is not available to this process (sched_setaffinity: {Message(error)}): its cpuset does not contain the CPU, or the "
        + "CPU is offline. Change the cpuset, or choose another CPU.",
        MeasurementUnavailableCause.TargetNotFound,
        error);

    public static MeasurementUnavailableException SleepRefused(int error) => new(
        $"The system refused clock_nanosleep(2) ({Message(error)}), probably because of a system-call filter (seccomp). Allow it.",
        MeasurementUnavailableCause.SeccompFilter,
        error);

    public static MeasurementUnavailableException NoThreadId => new(
        "The thread ID is unavailable, because a system-call filter (seccomp) refuses gettid(2). Allow it.",
        MeasurementUnavailableCause.SeccompFilter);

    public static MeasurementUnavailableException NoAffinity(int error) => new(
        "The CPUs on which this process may run are unknown, because a system-call filter (seccomp) refuses sched_getaffinity(2). "
        + "Allow it.",
        MeasurementUnavailableCause.SeccompFilter,
        error);

    private static string Message(int error) => Marshal.GetPInvokeErrorMessage(error);
}

/// <summary>A list of reasons without duplicates. Thread-safe; a returned list does not change.</summary>
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
