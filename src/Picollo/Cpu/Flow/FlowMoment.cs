namespace Picollo.Cpu;

/// <summary>The wall time of a boundary of a segment, in ticks of <see cref="Stopwatch"/>, and the counters of its thread and of the
/// process at that moment, in nanoseconds. The counters are 0 unless a watcher has a latency breakdown.</summary>
/// <param name="Timestamp">The wall time.</param>
/// <param name="CollectionNanoseconds">The time in which garbage collections had stopped the process.</param>
/// <param name="RunQueueNanoseconds">The time that the thread waited for a CPU; negative if it was not read.</param>
internal readonly record struct FlowMoment(long Timestamp, long CollectionNanoseconds = 0, long RunQueueNanoseconds = 0)
{
    public const long NotRead = -1;

    private const long NanosecondsPerSecond = 1_000_000_000;

    public static long CollectionsNow => GC.GetTotalPauseDuration().Ticks * TimeSpan.NanosecondsPerTick;

    // The frequency is a constant for the JIT: on Linux, macOS and Windows, only a multiplication by 1 or 100 remains.
    public static long ToNanoseconds(long ticks) => NanosecondsPerSecond % Stopwatch.Frequency == 0
        ? ticks * (NanosecondsPerSecond / Stopwatch.Frequency)
        : (long)((Int128)ticks * NanosecondsPerSecond / Stopwatch.Frequency);

    public static long ToTicks(long nanoseconds) => (long)((Int128)nanoseconds * Stopwatch.Frequency / NanosecondsPerSecond);
}
