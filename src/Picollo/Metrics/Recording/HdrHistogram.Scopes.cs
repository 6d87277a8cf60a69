using System.Runtime.CompilerServices;

namespace Picollo.Metrics;

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
