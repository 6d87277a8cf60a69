using System.Diagnostics.CodeAnalysis;
using Picollo.Cpu.Linux;

namespace Picollo.Diagnostics.Jitter.Linux;

/// <summary>Selects the CPUs to measure: by default, those on which this process may run. Other CPUs can be requested, such as isolated
/// ones (isolcpus), which no process may use by default. If the cpuset excludes them, pinning a thread to them fails.</summary>
internal static class CpuChoice
{
    /// <param name="requested">The requested CPUs; null for all.</param>
    /// <param name="allowed">The result of sched_getaffinity(2), which excludes offline CPUs.</param>
    /// <param name="online">The content of /sys/devices/system/cpu/online; null if it cannot be read.</param>
    /// <param name="possible">The content of /sys/devices/system/cpu/possible; null if it cannot be read.</param>
    /// <param name="cpus">The CPUs in ascending order, without duplicates.</param>
    /// <param name="reason">The CPU that cannot be measured, and the cause.</param>
    public static bool TryChoose(
        IReadOnlyList<int>? requested,
        int[] allowed,
        string? online,
        string? possible,
        out int[] cpus,
        [NotNullWhen(false)] out string? reason)
    {
        cpus = requested is null ? allowed : [.. requested.Distinct().Order()];
        reason = null;
        foreach (int cpu in cpus.Except(allowed))
        {
            string? why = possible is not null && !Contains(possible, cpu) ? "does not exist"
                : online is not null && !Contains(online, cpu)
                    ? $"is offline: run `echo 1 > /sys/devices/system/cpu/cpu{cpu}/online` as root"
                    : null;
            if (why is null)
            {
                continue;
            }

            reason = $"CPU {cpu} {why}. This process may run on {(allowed.Length == 1 ? "CPU" : "CPUs")} {CpuMask.Format(allowed)}.";
            return false;
        }

        return true;
    }

    /// <summary>Returns <see langword="true"/> if a list in the kernel's format (0-3,8) contains a CPU.</summary>
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
}
