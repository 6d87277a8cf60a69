using System.ComponentModel;

namespace Picollo.Metrics;

// Programs for Picollo v0.1 select the variant with arguments. The methods without arguments replace them.
public abstract partial class HdrHistogramFactory
{
    /// <summary>Selects 32-bit or 64-bit storage.</summary>
    /// <param name="enabled"><see langword="true"/> for 32-bit storage, <see langword="false"/> for 64-bit storage.</param>
    /// <returns>A new factory.</returns>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public HdrHistogramFactory WithUInt32Storage(bool enabled) => enabled ? WithUInt32Storage() : WithUInt64Storage();

    /// <summary>Enables or disables interlocked recording.</summary>
    /// <param name="enabled"><see langword="false"/> to change an interlocked factory to the plain variant.</param>
    /// <returns>A factory of the variant.</returns>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public HdrHistogramFactory WithInterlocked(bool enabled) => enabled ? WithInterlocked() : WithoutInterlocked();

    /// <summary>Enables or disables thread-local recording.</summary>
    /// <param name="enabled"><see langword="false"/> to change a thread-local factory to the plain variant.</param>
    /// <param name="accumulateInterval">Ignored: readers see every record immediately, so nothing is accumulated.</param>
    /// <returns>A factory of the variant.</returns>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public HdrHistogramFactory WithThreadLocal(bool enabled, TimeSpan? accumulateInterval = null) =>
        enabled ? WithThreadLocal() : WithoutThreadLocal();
}
