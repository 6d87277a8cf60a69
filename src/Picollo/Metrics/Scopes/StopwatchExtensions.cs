using System.Diagnostics;

namespace Picollo.Metrics;

/// <summary>Elapsed time of a <see cref="Stopwatch"/> without the loss of <see cref="TimeSpan"/>, whose ticks are 100 ns.</summary>
public static class StopwatchExtensions
{
    extension(Stopwatch stopwatch)
    {
        /// <summary>The elapsed time in nanoseconds, rounded down.</summary>
        /// <exception cref="ArgumentNullException">The stopwatch is <see langword="null"/>.</exception>
        public ulong ElapsedNanos
        {
            get
            {
                ArgumentNullException.ThrowIfNull(stopwatch);
                return NanoScope.TicksToNanos(stopwatch.ElapsedTicks);
            }
        }
    }
}
