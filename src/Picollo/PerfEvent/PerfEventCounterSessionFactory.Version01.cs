using System.ComponentModel;

namespace Picollo.PerfEvent;

// Programs for Picollo v0.1 receive counters from the factory. Other code finds them in PerfEventCounterSession.Counters.
public sealed partial class PerfEventCounterSessionFactory
{
    /// <summary>Adds a counter as <see cref="WithHardwareCounter(PerfHardwareCounterId)"/> does, and returns it immediately. Such a
    /// factory, and each factory derived from it, can create only one session.</summary>
    /// <param name="hardwareCounterId">The preset.</param>
    /// <param name="counter">The counter of the session. Its values are 0 before <see cref="Create"/>, and remain 0 if the session omits it
    /// (<see cref="WithOptional"/>).</param>
    /// <returns>A new factory.</returns>
    /// <inheritdoc cref="WithHardwareCounter(PerfHardwareCounterId)" path="/exception"/>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public PerfEventCounterSessionFactory WithHardwareCounter(PerfHardwareCounterId hardwareCounterId, out PerfEventCounter counter) =>
        With(PerfTypeId.Hardware, hardwareCounterId, nameof(hardwareCounterId), out counter);

    /// <summary>Adds a counter and returns it, as the overload for hardware events does.</summary>
    /// <param name="cacheCounterId">The preset.</param>
    /// <param name="counter">The counter of the session; its values are 0 before <see cref="Create"/> and if the session omits it.</param>
    /// <inheritdoc cref="WithHardwareCounter(PerfHardwareCounterId)" path="/returns|/exception"/>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public PerfEventCounterSessionFactory WithCacheCounter(PerfCacheCounterId cacheCounterId, out PerfEventCounter counter) =>
        With(PerfTypeId.HardwareCache, cacheCounterId, nameof(cacheCounterId), out counter);

    /// <summary>Adds a counter and returns it, as the overload for hardware events does.</summary>
    /// <param name="softwareCounterId">The preset.</param>
    /// <param name="counter">The counter of the session; its values are 0 before <see cref="Create"/> and if the session omits it.</param>
    /// <inheritdoc cref="WithHardwareCounter(PerfHardwareCounterId)" path="/returns|/exception"/>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public PerfEventCounterSessionFactory WithSoftwareCounter(PerfSoftwareCounterId softwareCounterId, out PerfEventCounter counter) =>
        With(PerfTypeId.Software, softwareCounterId, nameof(softwareCounterId), out counter);

    private PerfEventCounterSessionFactory With<TId>(PerfTypeId type, TId id, string argument, out PerfEventCounter counter)
        where TId : struct, Enum
    {
        PerfEventNumbers numbers = NumbersOf(type, id, argument);
        counter = new PerfEventCounter(numbers.Name, numbers.Definition);
        return With(numbers with { Counter = counter }, argument);
    }
}
