namespace Picollo.PerfEvent;

/// <summary>A region of code under <see cref="PerfEventCounterSession.Measure"/>; ending it records what each counter counted in it.
/// For a <c>using</c> statement and nothing else.</summary>
public readonly ref struct PerfMeasurement : IDisposable
{
    private readonly PerfEventCounterSession? _session; // none in default, which ends nothing
    private readonly int _start;
    private readonly bool _byUser;

    internal PerfMeasurement(PerfEventCounterSession session, int start, bool byUser)
    {
        _session = session;
        _start = start;
        _byUser = byUser;
    }

    /// <summary>Ends the region.</summary>
    /// <exception cref="ObjectDisposedException">The session was disposed meanwhile.</exception>
    /// <exception cref="PerfEventException">The kernel took the counters off the CPU for good (see
    /// <see cref="PerfEventCounterSession.Read"/>).</exception>
    public void Dispose() => _session?.EndMeasurement(_start, _byUser);
}
