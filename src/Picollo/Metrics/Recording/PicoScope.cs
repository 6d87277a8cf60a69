using System.Diagnostics;
using System.Runtime.CompilerServices;
using Picollo.Timing;

namespace Picollo.Metrics;

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

    /// <summary>Starts a measurement.</summary>
    /// <param name="histogram">The histogram that receives the duration.</param>
    /// <inheritdoc cref="HdrHistogram.GetTickScope" path="/remarks"/>
    public PicoScope(HdrHistogram histogram)
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
