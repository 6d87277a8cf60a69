using System.Globalization;

namespace Picollo.TestKit;

/// <summary>A test of what perf events count in the kernel; skipped, with the reason, where this user may not count there.</summary>
public sealed class KernelCountersFactAttribute : FactAttribute
{
    /// <summary>Why the kernel's part is not counted here; null where it is.</summary>
    public static string? UnavailableReason { get; } = Find();

    public KernelCountersFactAttribute() => Skip = UnavailableReason;

    // As the kernel decides it (perf_allow_kernel).
    private static string? Find()
    {
        const int Permitted = 1;
        const int Administration = 21; // CAP_SYS_ADMIN
        const int PerfMonitor = 38; // CAP_PERFMON
        const string Path = "/proc/sys/kernel/perf_event_paranoid";
        if (!File.Exists(Path))
        {
            return "there are no perf events here";
        }

        string paranoid = File.ReadAllText(Path).Trim();
        const string Mark = "CapEff:";
        string held = File.ReadLines("/proc/self/status").Single(line => line.StartsWith(Mark, StringComparison.Ordinal))[Mark.Length..];
        ulong capabilities = ulong.Parse(held.Trim(), NumberStyles.HexNumber, CultureInfo.InvariantCulture);
        return int.Parse(paranoid, CultureInfo.InvariantCulture) <= Permitted || (capabilities & ((1UL << Administration) | (1UL << PerfMonitor))) != 0
            ? null
            : $"this user may not count the kernel's part: kernel.perf_event_paranoid is {paranoid}, and 1 or CAP_PERFMON is needed";
    }
}
