using System.Diagnostics;
using System.Runtime.CompilerServices;
using Picollo.Timing;

namespace Picollo.Metrics;

/// <summary>Measures the time from its creation to the end of its <see langword="using"/> block with the CPU's own counter
/// (<see cref="CycleClock"/>) and records it into a histogram in picoseconds.</summary>
/// <remarks>
/// <para>At a little more than half the cost of <see cref="NanoScope"/>, and with a resolution not bound to the system's clock: on Windows,
/// where <see cref="Stopwatch"/> steps by 100 ns, some 300 times finer. Where the counter cannot be used the scope measures with
/// <see cref="Stopwatch"/>; <see cref="CycleClock.IsCycleCounter"/> is false then. An interval that cannot be measured, across a suspend or
/// a virtual machine's migration, is not recorded.</para>
/// <para><see cref="CycleClock.TicksToPicoseconds"/> converts intervals of the same clock.</para>
/// <inheritdoc cref="NanoScope" path="/remarks/node()"/>
/// </remarks>
public struct PicoScope : IDisposable
{
    /// <summary>One second in picoseconds.</summary>
    public const ulong OneSecondValue = 1_000_000_000_000;

    private HdrHistogram? _histogram; // null after the end
    private readonly long _start;

    /// <summary>Starts a measurement.</summary>
    /// <param name="histogram">Where it is recorded.</param>
    /// <inheritdoc cref="HdrHistogram.GetTickScope" path="/remarks"/>
    public PicoScope(HdrHistogram histogram)
    {
        _histogram = histogram;
        _start = CycleClock.GetTimestamp();
    }

    /// <inheritdoc cref="NanoScope.Dispose"/>
    /// <remarks>Not inlined: in the <see langword="finally"/> of a <see langword="using"/> block the JIT calls native code through
    /// a marshalling stub, which costs more than this call; in a method of its own it calls it directly.</remarks>
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
