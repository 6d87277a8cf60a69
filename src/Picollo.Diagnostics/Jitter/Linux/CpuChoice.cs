using System.Diagnostics.CodeAnalysis;

namespace Picollo.Diagnostics.Linux;

/// <summary>The CPUs that were asked for, of those that this process may run on.</summary>
internal static class CpuChoice
{
    /// <param name="asked">Null for all.</param>
    /// <param name="allowed">What sched_getaffinity(2) gives: without those that are offline.</param>
    /// <param name="online">/sys/devices/system/cpu/online; null where it cannot be read.</param>
    /// <param name="possible">The same of those that the kernel has a number for.</param>
    /// <param name="cpus">Ascending, each once.</param>
    /// <param name="reason">Which cannot be measured, and why.</param>
    public static bool TryChoose(
        IReadOnlyList<int>? asked,
        int[] allowed,
        string? online,
        string? possible,
        out int[] cpus,
        [NotNullWhen(false)] out string? reason)
    {
        cpus = asked is null ? allowed : [.. asked.Distinct().Order()];
        reason = null;
        foreach (int cpu in cpus.Except(allowed))
        {
            string why = possible is not null && !Contains(possible, cpu) ? "does not exist"
                : online is not null && !Contains(online, cpu) ? $"is offline (echo 1 > /sys/devices/system/cpu/cpu{cpu}/online, as root)"
                : "is not one that this process may run on: let it (taskset, cpuset), or choose another";
            reason = $"CPU {cpu} {why}. This process may run on {Text(allowed)}.";
            return false;
        }

        return true;
    }

    /// <summary>Whether a list of the kernel's (0-3,8) has a CPU.</summary>
    public static bool Contains(string list, int cpu)
    {
        foreach (string part in list.Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries))
        {
            string[] ends = part.Split('-');
            if (int.TryParse(ends[0], NumberStyles.None, CultureInfo.InvariantCulture, out int first)
                && int.TryParse(ends[^1], NumberStyles.None, CultureInfo.InvariantCulture, out int last)
                && cpu >= first && cpu <= last)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>As the kernel writes them: 0-3,8.</summary>
    public static string Text(ReadOnlySpan<int> ascending)
    {
        List<string> parts = [];
        for (int i = 0; i < ascending.Length;)
        {
            int start = i;
            while (++i < ascending.Length && ascending[i] == ascending[i - 1] + 1)
            {
            }

            parts.Add(i - start == 1 ? $"{ascending[start]}" : $"{ascending[start]}-{ascending[i - 1]}");
        }

        return string.Join(',', parts);
    }
}
