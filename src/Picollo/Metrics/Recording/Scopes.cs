using Picollo.Timing;

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
public partial struct NanoScope : IDisposable
{
    /// <summary>One second in nanoseconds.</summary>
    public const ulong OneSecondValue = 1_000_000_000;

    private HdrHistogram? _histogram; // null after the end
    private readonly long _start;

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
public partial struct MicroScope : IDisposable
{
    /// <summary>One second in microseconds.</summary>
    public const ulong OneSecondValue = 1_000_000;

    private HdrHistogram? _histogram; // null after the end
    private readonly long _start;

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
public partial struct MilliScope : IDisposable
{
    /// <summary>One second in milliseconds.</summary>
    public const ulong OneSecondValue = 1_000;

    private HdrHistogram? _histogram; // null after the end
    private readonly long _start;

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
public partial struct TickScope : IDisposable
{
    /// <summary>One second in ticks, <see cref="Stopwatch.Frequency"/>: 10⁹ on Linux and macOS, 10⁷ on Windows.</summary>
    public static ulong OneSecondValue => (ulong)Stopwatch.Frequency;

    private HdrHistogram? _histogram; // null after the end
    private readonly long _start;

    /// <inheritdoc cref="NanoScope.Dispose"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Dispose()
    {
        HdrHistogram? histogram = _histogram;
        _histogram = null;
        histogram?.RecordUnlessDisposed((ulong)Math.Max(Stopwatch.GetTimestamp() - _start, 0));
    }
}

/// <summary>Measures the duration of a <see langword="using"/> block with the CPU's counter (<see cref="CycleClock"/>) and records it into
/// a histogram in picoseconds.</summary>
/// <remarks>
/// <para>A scope costs slightly more than half as much as a <see cref="NanoScope"/>, and its resolution does not depend on the system's
/// clock: on Windows, where <see cref="Stopwatch"/> has a resolution of 100 ns, it is about 300 times finer. If the counter cannot be used
/// (<see cref="CycleClock.IsCycleCounter"/> is <see langword="false"/>), the scope measures with <see cref="Stopwatch"/>. An interval that
/// cannot be measured, such as one that spans a suspend or a virtual machine's migration, is not recorded.</para>
/// <para><see cref="CycleClock.TicksToPicoseconds"/> converts intervals of the same clock to picoseconds.</para>
/// <inheritdoc cref="NanoScope" path="/remarks/node()"/>
/// </remarks>
public struct PicoScope : IDisposable
{
    /// <summary>One second in picoseconds.</summary>
    public const ulong OneSecondValue = 1_000_000_000_000;

    private HdrHistogram? _histogram; // null after the end
    private readonly long _start;

    internal PicoScope(HdrHistogram histogram)
    {
        _histogram = histogram;
        _start = CycleClock.GetTimestamp();
    }

    /// <inheritdoc cref="NanoScope.Dispose"/>
    /// <remarks>Not inlined: in the <see langword="finally"/> part of a <see langword="using"/> block, the JIT calls native code through a
    /// marshaling stub, which costs more than this call. In a separate method it calls native code directly.</remarks>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public void Dispose()
    {
        HdrHistogram? scoped = _histogram;
        _histogram = null;
        if (scoped is { } histogram && CycleClock.TryGetElapsedPicoseconds(_start, out ulong picoseconds))
        {
            histogram.RecordUnlessDisposed(picoseconds);
        }
    }
}

/// <content>Scopes, which measure and record the duration of a <see langword="using"/> block.</content>
public abstract partial class HdrHistogram
{
    /// <summary>Starts a measurement that is recorded in ticks of <see cref="System.Diagnostics.Stopwatch"/>.</summary>
    /// <returns>The scope, for a <see langword="using"/> statement.</returns>
    /// <remarks>Does not allocate. Any thread may call it.</remarks>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public TickScope GetTickScope() => new(this);

    /// <summary>Starts a measurement that is recorded in nanoseconds.</summary>
    /// <returns>The scope, for a <see langword="using"/> statement.</returns>
    /// <inheritdoc cref="GetTickScope" path="/remarks"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public NanoScope GetNanoScope() => new(this);

    /// <summary>Starts a measurement that is recorded in microseconds.</summary>
    /// <returns>The scope, for a <see langword="using"/> statement.</returns>
    /// <inheritdoc cref="GetTickScope" path="/remarks"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public MicroScope GetMicroScope() => new(this);

    /// <summary>Starts a measurement that is recorded in milliseconds.</summary>
    /// <returns>The scope, for a <see langword="using"/> statement.</returns>
    /// <inheritdoc cref="GetTickScope" path="/remarks"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public MilliScope GetMilliScope() => new(this);

    /// <summary>Starts a measurement with the CPU's counter, which is recorded in picoseconds.</summary>
    /// <returns>The scope, for a <see langword="using"/> statement.</returns>
    /// <inheritdoc cref="GetTickScope" path="/remarks"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public PicoScope GetPicoScope() => new(this);
}
