using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Picollo.Metrics;

/// <summary>Measures the time from its creation to the end of its <see langword="using"/> block and records it into a
/// histogram in ticks of <see cref="Stopwatch"/>, the most precise raw value it has.</summary>
/// <remarks>
/// Made by <see cref="HdrHistogramScopes.GetTickScope"/>. A struct that a <see langword="using"/> statement neither boxes nor
/// allocates for, also across <see langword="await"/>. <see cref="IDisposable.Dispose"/> is implemented explicitly, so that
/// nothing but the statement calls it. The default value records nothing. One second is <see cref="Stopwatch.Frequency"/>
/// ticks, which differs between systems.
/// </remarks>
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
    void IDisposable.Dispose() => _histogram?.Record((ulong)Math.Max(Stopwatch.GetTimestamp() - _start, 0));
}
