namespace Picollo.Cpu.Linux;

/// <summary>
/// The three numbers of a schedstat, of one thread (Documentation/scheduler/sched-stats.rst of the kernel); of
/// /proc/&lt;pid&gt;/schedstat, the main thread.
/// </summary>
/// <param name="RunNanoseconds">On a CPU.</param>
/// <param name="WaitNanoseconds">Runnable, and not on a CPU. The kernel adds a wait when it is over.</param>
/// <param name="Runs">How often it got a CPU: none for a thread that never ran, and for all where the kernel keeps no such statistics
/// (three zeros: sched_info_on() before Linux 5.14).</param>
internal readonly record struct ProcSchedStat(long RunNanoseconds, long WaitNanoseconds, long Runs)
{
    public const int MaxLength = 128;

    public static bool TryParse(ReadOnlySpan<byte> text, out ProcSchedStat stat)
    {
        var fields = new TextFields(text);
        bool known = fields.TryNextCount(out long run) & fields.TryNextCount(out long wait) & fields.TryNextCount(out long runs);
        stat = known ? new ProcSchedStat(run, wait, runs) : default;
        return known;
    }
}
