namespace Picollo.PerfEvent;

/// <content>The counters that this machine has and that this user may open.</content>
public sealed partial class PerfEventCounterSession
{
    /// <summary>Whether the system has perf_event_open(2) and permits this user to call it. Each call opens a software counter and closes
    /// it again. For the PMU, see <see cref="IsCounterSupported(PerfHardwareCounterId)"/>.</summary>
    public static bool IsSupported => IsAvailable(Factory.WithSoftwareCounter(PerfSoftwareCounterId.Dummy));

    /// <summary>Returns whether this machine has a hardware counter that this user may open. Each call opens it for user code of the
    /// calling thread and closes it again.</summary>
    /// <param name="hardwareCounterId">The counter.</param>
    /// <returns><see langword="true"/> if it can be opened. If not,
    /// <see cref="PerfEventCounterSessionFactory.TryCreate"/> returns the reason.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The counter's number is negative.</exception>
    public static bool IsCounterSupported(PerfHardwareCounterId hardwareCounterId) =>
        IsAvailable(Factory.WithHardwareCounter(hardwareCounterId));

    /// <summary>Returns whether this machine has a cache counter that this user may open. Each call opens it for user code of the calling
    /// thread and closes it again.</summary>
    /// <param name="cacheCounterId">The counter.</param>
    /// <inheritdoc cref="IsCounterSupported(PerfHardwareCounterId)" path="/returns|/exception"/>
    public static bool IsCounterSupported(PerfCacheCounterId cacheCounterId) => IsAvailable(Factory.WithCacheCounter(cacheCounterId));

    /// <summary>Returns the number of hardware counters of a CPU: on x64, the number that the CPU reports (Intel SDM, CPUID leaf 0AH; AMD
    /// APM, leaf 80000022H); on arm64, the number that the kernel can open together. It does not depend on the permissions of this user;
    /// see <see cref="Factory"/>. Determined once, on the CPU of the first caller; later calls cost nothing. Any thread may call
    /// it.</summary>
    /// <param name="fixedCounters">The number of counters for one event each; 0 if unknown.</param>
    /// <param name="programmableCounters">The number of counters for any event; 0 if unknown.</param>
    /// <returns><see langword="false"/> if there is no PMU, as in most virtual machines.</returns>
    public static bool TryGetNumberOfCounters(out uint fixedCounters, out uint programmableCounters) =>
        HardwareCounterLimits.TryGet(out fixedCounters, out programmableCounters);

    private static bool IsAvailable(PerfEventCounterSessionFactory factory)
    {
        bool isAvailable = factory.TryCreate(out PerfEventCounterSession? session, out _);
        session?.Dispose();
        return isAvailable;
    }
}
