using System.ComponentModel;

namespace Picollo.PerfEvent;

// Programs for version 0.1 read the named counters by kind: session.Counters.Hardware.CpuCycles.
public sealed partial class PerfEventCounters
{
    /// <summary>The counters themselves.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public PerfEventCounters Hardware => this;

    /// <inheritdoc cref="Hardware"/>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public PerfEventCounters Software => this;

    /// <inheritdoc cref="Hardware"/>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public PerfEventCounters Caches => this;
}
