namespace Picollo.Cpu.Linux;

/// <summary>Parses the files of a cgroup (Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/ of the kernel).</summary>
internal static class CgroupFiles
{
    /// <summary>Returns the limit in CPUs from cpu.max, "50000 100000" or "max 100000"; null for none.</summary>
    public static double? ParseMax(ReadOnlySpan<byte> text)
    {
        var fields = new TextFields(text);
        return fields.TryNextCount(out long quota) && fields.TryNextCount(out long period) ? Limit(quota, period) : null;
    }

    /// <summary>Returns the limit in CPUs from cpu.cfs_quota_us, -1 for none, and cpu.cfs_period_us; null for none.</summary>
    public static double? ParseQuota(ReadOnlySpan<byte> quotaText, ReadOnlySpan<byte> periodText) =>
        ParseNumber(quotaText) is { } quota && ParseNumber(periodText) is { } period ? Limit(quota, period) : null;

    /// <summary>Parses a file that contains one number; null if the number is negative or missing.</summary>
    public static long? ParseNumber(ReadOnlySpan<byte> text) => new TextFields(text).TryNextCount(out long value) ? value : null;

    /// <summary>Adds the statistics of cpu.stat, of either version, to a group.</summary>
    public static CgroupCpu AddStatistics(CgroupCpu group, ReadOnlySpan<byte> text)
    {
        while (TextFields.TryTakeLine(ref text, out ReadOnlySpan<byte> line))
        {
            var fields = new TextFields(line);
            if (!fields.TryNext(out ReadOnlySpan<byte> name) || !fields.TryNextCount(out long value))
            {
                continue;
            }

            group = name switch
            {
                _ when name.SequenceEqual("usage_usec"u8) => group with { UsageNanoseconds = TextFields.Scale(value, 1_000) },
                _ when name.SequenceEqual("nr_periods"u8) => group with { Periods = value },
                _ when name.SequenceEqual("nr_throttled"u8) => group with { ThrottledPeriods = value },
                _ when name.SequenceEqual("throttled_usec"u8) =>
                    group with { ThrottledTime = new TimeSpan(TextFields.Scale(value, TimeSpan.TicksPerMicrosecond)) },
                _ when name.SequenceEqual("throttled_time"u8) =>
                    group with { ThrottledTime = new TimeSpan(value / TimeSpan.NanosecondsPerTick) },
                _ => group,
            };
        }

        return group;
    }

    private static double? Limit(long quota, long period) => quota > 0 && period > 0 ? (double)quota / period : null;
}
