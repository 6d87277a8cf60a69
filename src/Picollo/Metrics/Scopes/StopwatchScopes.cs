using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Picollo.Metrics;

/// <summary>Measures the time from its creation to the end of its <see langword="using"/> block with <see cref="Stopwatch"/>
/// and records it into a histogram in nanoseconds.</summary>
/// <remarks>
/// <para>A histogram makes scopes, for example <see cref="HdrHistogram.GetNanoScope"/>. A <see langword="using"/> statement neither boxes
/// nor allocates for this struct, also across <see langword="await"/>. <see cref="IDisposable.Dispose"/> is implemented explicitly, so that
/// only the statement calls it.</para>
/// <para>A scope may end on another thread than it started on, as after <see langword="await"/>; the histogram's variant decides whether
/// that thread may record. A scope whose histogram is disposed before the scope ends records nothing and does not throw, so that it never
/// replaces an exception of its block. The default value records nothing.</para>
/// <example>
/// <code>
/// using (histogram.GetNanoScope())
/// {
///     Work();
/// }
/// </code>
/// </example>
/// </remarks>
public readonly struct NanoScope : IDisposable
{
    /// <summary>One second in nanoseconds.</summary>
    public const ulong OneSecondValue = 1_000_000_000;

    private readonly HdrHistogram? _histogram;
    private readonly long _start;

    internal NanoScope(HdrHistogram histogram)
    {
        _histogram = histogram;
        _start = Stopwatch.GetTimestamp();
    }

    /// <summary>Converts an interval of <see cref="Stopwatch"/> ticks to nanoseconds.</summary>
    /// <param name="ticks">The interval.</param>
    /// <returns>The exact value, rounded down; 0 for a negative interval, <see cref="ulong.MaxValue"/> where the result does
    /// not fit.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong TicksToNanos(long ticks) => StopwatchTicks.Convert(ticks, OneSecondValue, (ulong)Stopwatch.Frequency);

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    void IDisposable.Dispose() => _histogram?.RecordUnlessDisposed(TicksToNanos(Stopwatch.GetTimestamp() - _start));
}

/// <summary>Measures the time from its creation to the end of its <see langword="using"/> block with <see cref="Stopwatch"/>
/// and records it into a histogram in microseconds.</summary>
/// <inheritdoc cref="NanoScope" path="/remarks"/>
public readonly struct MicroScope : IDisposable
{
    /// <summary>One second in microseconds.</summary>
    public const ulong OneSecondValue = 1_000_000;

    private readonly HdrHistogram? _histogram;
    private readonly long _start;

    internal MicroScope(HdrHistogram histogram)
    {
        _histogram = histogram;
        _start = Stopwatch.GetTimestamp();
    }

    /// <summary>Converts an interval of <see cref="Stopwatch"/> ticks to microseconds.</summary>
    /// <inheritdoc cref="NanoScope.TicksToNanos" path="/param|/returns"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong TicksToMicros(long ticks) => StopwatchTicks.Convert(ticks, OneSecondValue, (ulong)Stopwatch.Frequency);

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    void IDisposable.Dispose() => _histogram?.RecordUnlessDisposed(TicksToMicros(Stopwatch.GetTimestamp() - _start));
}

/// <summary>Measures the time from its creation to the end of its <see langword="using"/> block with <see cref="Stopwatch"/>
/// and records it into a histogram in milliseconds.</summary>
/// <inheritdoc cref="NanoScope" path="/remarks"/>
public readonly struct MilliScope : IDisposable
{
    /// <summary>One second in milliseconds.</summary>
    public const ulong OneSecondValue = 1_000;

    private readonly HdrHistogram? _histogram;
    private readonly long _start;

    internal MilliScope(HdrHistogram histogram)
    {
        _histogram = histogram;
        _start = Stopwatch.GetTimestamp();
    }

    /// <summary>Converts an interval of <see cref="Stopwatch"/> ticks to milliseconds.</summary>
    /// <inheritdoc cref="NanoScope.TicksToNanos" path="/param|/returns"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong TicksToMillis(long ticks) => StopwatchTicks.Convert(ticks, OneSecondValue, (ulong)Stopwatch.Frequency);

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    void IDisposable.Dispose() => _histogram?.RecordUnlessDisposed(TicksToMillis(Stopwatch.GetTimestamp() - _start));
}

/// <summary>Measures the time from its creation to the end of its <see langword="using"/> block and records it into a
/// histogram in ticks of <see cref="Stopwatch"/>, the most precise raw value it has.</summary>
/// <remarks><inheritdoc cref="NanoScope" path="/remarks/node()"/>
/// <para>One second is <see cref="Stopwatch.Frequency"/> ticks, which differs between systems.</para></remarks>
public readonly struct TickScope : IDisposable
{
    private readonly HdrHistogram? _histogram;
    private readonly long _start;

    internal TickScope(HdrHistogram histogram)
    {
        _histogram = histogram;
        _start = Stopwatch.GetTimestamp();
    }

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    void IDisposable.Dispose() => _histogram?.RecordUnlessDisposed((ulong)Math.Max(Stopwatch.GetTimestamp() - _start, 0));
}
