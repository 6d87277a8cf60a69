using System.ComponentModel;

namespace Picollo.Metrics;

// Programs for Picollo v0.1 call these constructors. The methods of HdrHistogram replace them: GetTickScope, GetNanoScope and so on.
public partial struct NanoScope
{
    /// <summary>Starts a measurement.</summary>
    /// <param name="histogram">The histogram that receives the duration.</param>
    /// <inheritdoc cref="HdrHistogram.GetTickScope" path="/remarks"/>
    [EditorBrowsable(EditorBrowsableState.Never)]
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public NanoScope(HdrHistogram histogram)
    {
        _histogram = histogram;
        _start = Stopwatch.GetTimestamp();
    }

    /// <inheritdoc cref="TicksToNanos(long)"/>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static ulong TicksToNanos(ulong stopwatchTicks) => TicksToNanos((long)Math.Min(stopwatchTicks, long.MaxValue));
}

public partial struct MicroScope
{
    /// <inheritdoc cref="NanoScope(HdrHistogram)"/>
    [EditorBrowsable(EditorBrowsableState.Never)]
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public MicroScope(HdrHistogram histogram)
    {
        _histogram = histogram;
        _start = Stopwatch.GetTimestamp();
    }
}

public partial struct MilliScope
{
    /// <inheritdoc cref="NanoScope(HdrHistogram)"/>
    [EditorBrowsable(EditorBrowsableState.Never)]
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public MilliScope(HdrHistogram histogram)
    {
        _histogram = histogram;
        _start = Stopwatch.GetTimestamp();
    }
}

public partial struct TickScope
{
    /// <inheritdoc cref="NanoScope(HdrHistogram)"/>
    [EditorBrowsable(EditorBrowsableState.Never)]
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public TickScope(HdrHistogram histogram)
    {
        _histogram = histogram;
        _start = Stopwatch.GetTimestamp();
    }
}
