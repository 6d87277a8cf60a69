using System.ComponentModel;

namespace Picollo.PerfEvent;

// Programs for Picollo v0.1 subtract the overhead. Delta replaces both.
public sealed partial class PerfEventCounter
{
    /// <summary>The unscaled count and the times between the last two reads, including <see cref="PairReadOverhead"/>.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public PerfEventCounterValue RawDelta => _now.Since(_before);

    /// <summary>The number of events that two consecutive reads themselves cause, for reads of the kind (system call or user space) that
    /// was used last. Measured once, when the session is created. 0 if the session does not count the thread that reads it.</summary>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public ulong PairReadOverhead { get; private set; }
}
