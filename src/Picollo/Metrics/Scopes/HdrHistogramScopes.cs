using System.Runtime.CompilerServices;

namespace Picollo.Metrics;

/// <summary>Scopes that measure a <see langword="using"/> block and record its duration into a histogram.</summary>
/// <remarks>
/// <example>
/// <code>
/// using (histogram.GetNanoScope())
/// {
///     Work();
/// }
/// </code>
/// </example>
/// A scope may end on another thread than it began on, as after <see langword="await"/>; the histogram's variant decides whether
/// that thread may record. None of them allocates. A scope whose histogram is disposed before the scope
/// ends records nothing and does not throw, so that it never replaces an exception of its block.
/// </remarks>
public static class HdrHistogramScopes
{
    extension(HdrHistogram histogram)
    {
        /// <summary>Begins a measurement that is recorded in ticks of <see cref="System.Diagnostics.Stopwatch"/>.</summary>
        /// <returns>The scope, for a <see langword="using"/> statement.</returns>
        /// <exception cref="ArgumentNullException">The histogram is <see langword="null"/>.</exception>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public TickScope GetTickScope()
        {
            ArgumentNullException.ThrowIfNull(histogram);
            return new TickScope(histogram);
        }

        /// <summary>Begins a measurement that is recorded in nanoseconds.</summary>
        /// <returns>The scope, for a <see langword="using"/> statement.</returns>
        /// <exception cref="ArgumentNullException">The histogram is <see langword="null"/>.</exception>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public NanoScope GetNanoScope()
        {
            ArgumentNullException.ThrowIfNull(histogram);
            return new NanoScope(histogram);
        }

        /// <summary>Begins a measurement that is recorded in microseconds.</summary>
        /// <returns>The scope, for a <see langword="using"/> statement.</returns>
        /// <exception cref="ArgumentNullException">The histogram is <see langword="null"/>.</exception>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public MicroScope GetMicroScope()
        {
            ArgumentNullException.ThrowIfNull(histogram);
            return new MicroScope(histogram);
        }

        /// <summary>Begins a measurement that is recorded in milliseconds.</summary>
        /// <returns>The scope, for a <see langword="using"/> statement.</returns>
        /// <exception cref="ArgumentNullException">The histogram is <see langword="null"/>.</exception>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public MilliScope GetMilliScope()
        {
            ArgumentNullException.ThrowIfNull(histogram);
            return new MilliScope(histogram);
        }

        /// <summary>Begins a measurement with the CPU's counter that is recorded in picoseconds.</summary>
        /// <returns>The scope, for a <see langword="using"/> statement.</returns>
        /// <exception cref="ArgumentNullException">The histogram is <see langword="null"/>.</exception>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public PicoScope GetPicoScope()
        {
            ArgumentNullException.ThrowIfNull(histogram);
            return new PicoScope(histogram);
        }
    }
}
