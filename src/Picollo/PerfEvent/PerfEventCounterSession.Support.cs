namespace Picollo.PerfEvent;

/// <content>What this machine has, and what this user may count.</content>
public sealed partial class PerfEventCounterSession
{
    /// <summary>Whether the system has perf_event_open(2) and permits this user to call it. Each call opens a software counter and closes
    /// it again. For the PMU, see <see cref="IsCounterSupported(PerfHardwareCounterId)"/>.</summary>
    public static bool IsSupported => IsAvailable(Factory.WithSoftwareCounter(PerfSoftwareCounterId.Dummy));

    /// <summary>Returns whether this machine has a hardware counter that this user may open. Each call opens it for user code of the
    /// calling thread and closes it again.</summary>
    /// <param name="hardwareCounterId">The counter.</param>
    /// <returns><see langword="true"/> if it can be opened. For the reason if not, see
    /// <see cref="PerfEventCounterSessionFactory.TryCreate"/>.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The counter's number is negative.</exception>
    public static bool IsCounterSupported(PerfHardwareCounterId hardwareCounterId) =>
        IsAvailable(Factory.WithHardwareCounter(hardwareCounterId));

    /// <summary>Returns whether this machine has a cache counter that this user may open. Each call opens it for user code of the calling
    /// thread and closes it again.</summary>
    /// <param name="cacheCounterId">The counter.</param>
    /// <inheritdoc cref="IsCounterSupported(PerfHardwareCounterId)" path="/returns|/exception"/>
    public static bool IsCounterSupported(PerfCacheCounterId cacheCounterId) => IsAvailable(Factory.WithCacheCounter(cacheCounterId));

    /// <summary>How many hardware counters a CPU of this machine has, as the CPU says (Intel SDM, CPUID leaf 0AH; AMD APM, leaf
    /// 80000022H) or, on arm64, as the kernel lets open together. Whether this user may have them, <see cref="Factory"/> tells. Asked
    /// once, of the CPU that the first caller is on; later calls cost nothing. Any thread may call it.</summary>
    /// <param name="fixedCounters">Those that count one event each; 0 if not known.</param>
    /// <param name="programmableCounters">Those that count any event; 0 if not known.</param>
    /// <returns>False where there is no PMU, as behind most hypervisors.</returns>
    public static bool TryGetNumberOfCounters(out uint fixedCounters, out uint programmableCounters) =>
        PerfCounterNumbers.TryGet(out fixedCounters, out programmableCounters);

    private static bool IsAvailable(PerfEventCounterSessionFactory factory)
    {
        bool isAvailable = factory.TryCreate(out PerfEventCounterSession? session, out _);
        session?.Dispose();
        return isAvailable;
    }
}
