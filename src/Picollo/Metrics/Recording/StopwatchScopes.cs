using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Picollo.Metrics;

/// <summary>Measures the duration of a <see langword="using"/> block with <see cref="Stopwatch"/> and records it into a histogram in
/// nanoseconds.</summary>
/// <remarks>
/// <para>Create a scope with a method of the histogram, for example <see cref="HdrHistogram.GetNanoScope"/>. A <see langword="using"/>
/// statement does not box or allocate for this struct, even across <see langword="await"/>. Do not copy a scope: each copy records when it
/// ends.</para>
/// <para>A scope may end on a different thread than it started on, for example after <see langword="await"/>; the histogram's variant
/// determines whether that thread may record. If the histogram is disposed before the scope ends, the scope records nothing and does not
/// throw, so that it never replaces an exception of its block. The default value records nothing.</para>
/// <example>
/// <code>
/// using (histogram.GetNanoScope())
/// {
///     Work();
/// }
/// </code>
/// </example>
/// </remarks>
public struct NanoScope : IDisposable
{
    /// <summary>One second in nanoseconds.</summary>
    public const ulong OneSecondValue = 1_000_000_000;

    private HdrHistogram? _histogram; // null after the end
    private readonly long _start;

    /// <summary>Starts a measurement.</summary>
    /// <param name="histogram">The histogram that receives the duration.</param>
    /// <inheritdoc cref="HdrHistogram.GetTickScope" path="/remarks"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public NanoScope(HdrHistogram histogram)
    {
        _histogram = histogram;
        _start = Stopwatch.GetTimestamp();
    }

    /// <summary>The time since the start of the scope, in nanoseconds.</summary>
    public readonly ulong ElapsedNanos
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => TicksToNanos(Stopwatch.GetTimestamp() - _start);
    }

    /// <summary>Converts an interval of <see cref="Stopwatch"/> ticks to nanoseconds.</summary>
    /// <param name="stopwatchTicks">The interval, in ticks.</param>
    /// <returns>The exact value, rounded down; 0 for a negative interval; <see cref="ulong.MaxValue"/> if the result does not
    /// fit.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong TicksToNanos(long stopwatchTicks) =>
        StopwatchTicks.Convert(stopwatchTicks, OneSecondValue, (ulong)Stopwatch.Frequency);

    /// <inheritdoc cref="TicksToNanos(long)"/>
    public static ulong TicksToNanos(ulong stopwatchTicks) => TicksToNanos((long)Math.Min(stopwatchTicks, long.MaxValue));

    /// <summary>Ends the measurement and records the duration. Further calls on the same variable do nothing.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Dispose()
    {
        HdrHistogram? histogram = _histogram;
        _histogram = null;
        histogram?.RecordUnlessDisposed(ElapsedNanos);
    }
}

/// <summary>Measures the duration of a <see langword="using"/> block with <see cref="Stopwatch"/> and records it into a histogram in
/// microseconds.</summary>
/// <inheritdoc cref="NanoScope" path="/remarks"/>
public struct MicroScope : IDisposable
{
    /// <summary>One second in microseconds.</summary>
    public const ulong OneSecondValue = 1_000_000;

    private HdrHistogram? _histogram; // null after the end
    private readonly long _start;

    /// <summary>Starts a measurement.</summary>
    /// <param name="histogram">The histogram that receives the duration.</param>
    /// <inheritdoc cref="HdrHistogram.GetTickScope" path="/remarks"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public MicroScope(HdrHistogram histogram)
    {
        _histogram = histogram;
        _start = Stopwatch.GetTimestamp();
    }

    /// <summary>Converts an interval of <see cref="Stopwatch"/> ticks to microseconds.</summary>
    /// <inheritdoc cref="NanoScope.TicksToNanos(long)" path="/param|/returns"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong TicksToMicros(long stopwatchTicks) =>
        StopwatchTicks.Convert(stopwatchTicks, OneSecondValue, (ulong)Stopwatch.Frequency);

    /// <inheritdoc cref="NanoScope.Dispose"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Dispose()
    {
        HdrHistogram? histogram = _histogram;
        _histogram = null;
        histogram?.RecordUnlessDisposed(TicksToMicros(Stopwatch.GetTimestamp() - _start));
    }
}

/// <summary>Measures the duration of a <see langword="using"/> block with <see cref="Stopwatch"/> and records it into a histogram in
/// milliseconds.</summary>
/// <inheritdoc cref="NanoScope" path="/remarks"/>
public struct MilliScope : IDisposable
{
    /// <summary>One second in milliseconds.</summary>
    public const ulong OneSecondValue = 1_000;

    private HdrHistogram? _histogram; // null after the end
    private readonly long _start;

    /// <summary>Starts a measurement.</summary>
    /// <param name="histogram">The histogram that receives the duration.</param>
    /// <inheritdoc cref="HdrHistogram.GetTickScope" path="/remarks"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public MilliScope(HdrHistogram histogram)
    {
        _histogram = histogram;
        _start = Stopwatch.GetTimestamp();
    }

    /// <summary>Converts an interval of <see cref="Stopwatch"/> ticks to milliseconds.</summary>
    /// <inheritdoc cref="NanoScope.TicksToNanos(long)" path="/param|/returns"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong TicksToMillis(long stopwatchTicks) =>
        StopwatchTicks.Convert(stopwatchTicks, OneSecondValue, (ulong)Stopwatch.Frequency);

    /// <inheritdoc cref="NanoScope.Dispose"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Dispose()
    {
        HdrHistogram? histogram = _histogram;
        _histogram = null;
        histogram?.RecordUnlessDisposed(TicksToMillis(Stopwatch.GetTimestamp() - _start));
    }
}

/// <summary>Measures the duration of a <see langword="using"/> block and records it into a histogram in ticks of <see cref="Stopwatch"/>,
/// without a conversion.</summary>
/// <remarks><inheritdoc cref="NanoScope" path="/remarks/node()"/>
/// <para>The number of ticks per second, <see cref="Stopwatch.Frequency"/>, depends on the system.</para></remarks>
public struct TickScope : IDisposable
{
    /// <summary>One second in ticks, <see cref="Stopwatch.Frequency"/>: 10⁹ on Linux and macOS, 10⁷ on Windows.</summary>
    public static ulong OneSecondValue => (ulong)Stopwatch.Frequency;

    private HdrHistogram? _histogram; // null after the end
    private readonly long _start;

    /// <summary>Starts a measurement.</summary>
    /// <param name="histogram">The histogram that receives the duration.</param>
    /// <inheritdoc cref="HdrHistogram.GetTickScope" path="/remarks"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public TickScope(HdrHistogram histogram)
    {
        _histogram = histogram;
        _start = Stopwatch.GetTimestamp();
    }

    /// <inheritdoc cref="NanoScope.Dispose"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Dispose()
    {
        HdrHistogram? histogram = _histogram;
        _histogram = null;
        histogram?.RecordUnlessDisposed((ulong)Math.Max(Stopwatch.GetTimestamp() - _start, 0));
    }
}
