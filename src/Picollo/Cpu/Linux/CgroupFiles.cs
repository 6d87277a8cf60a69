namespace Picollo.Cpu.Linux;

/// <summary>Reads the texts of a cgroup's files (Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/ of the kernel).</summary>
internal static class CgroupFiles
{
    /// <summary>The limit in CPUs from cpu.max, "50000 100000" or "max 100000"; null for none.</summary>
    public static double? ParseMax(ReadOnlySpan<byte> text)
    {
        var fields = new TextFields(text);
        return fields.TryNextCount(out long quota) && fields.TryNextCount(out long period) ? Limit(quota, period) : null;
    }

    /// <summary>The same from cpu.cfs_quota_us, -1 for none, and cpu.cfs_period_us.</summary>
    public static double? ParseQuota(ReadOnlySpan<byte> quotaText, ReadOnlySpan<byte> periodText) =>
        ParseNumber(quotaText) is { } quota && ParseNumber(periodText) is { } period ? Limit(quota, period) : null;

    /// <summary>The number that is all of a file; null if it is negative or none.</summary>
    public static long? ParseNumber(ReadOnlySpan<byte> text) => new TextFields(text).TryNextCount(out long value) ? value : null;

    /// <summary>Adds what cpu.stat tells, of either version, to what is known of a group.</summary>
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
