namespace Picollo.Cpu;

/// <summary>A thread's CPU clocks at a moment, or what passed on them between two; the split is 0 where nobody asked for it.</summary>
internal readonly record struct CpuSegment(long TotalNanoseconds, CpuUsage Split)
{
    public static CpuSegment operator -(in CpuSegment end, in CpuSegment start) =>
        new(end.TotalNanoseconds - start.TotalNanoseconds, end.Split - start.Split);

    public static CpuSegment operator +(in CpuSegment left, in CpuSegment right) =>
        new(left.TotalNanoseconds + right.TotalNanoseconds, left.Split + right.Split);

    /// <summary>The current thread's clocks.</summary>
    public static bool TryReadThread(CpuUsageDetail detail, out CpuSegment now)
    {
        CpuUsage split = default;
        bool known = detail == CpuUsageDetail.UserAndKernel
            ? CpuTimes.Current.TryGetThread(out long total, out split)
            : CpuTimes.Current.TryGetThread(out total);
        now = new CpuSegment(total, split);
        return known;
    }
}
