using Picollo.Cpu;

namespace Picollo.Cli.Top;

/// <summary>Formats the lines above the list as in top(1).</summary>
internal static class TopHeader
{
    private const double MiB = 1 << 20;
    private const double MaxInColumn = 999_999.9;
    private const string Units = "MGTP";

    /// <summary>Returns the lines. A line may be wider than the page.</summary>
    public static IEnumerable<string> Lines(TopSample sample, TopSettings settings)
    {
        yield return First(sample);
        yield return Tasks(sample, settings);
        if (settings.PerCpu)
        {
            foreach (CpuStates cpu in sample.Cpus)
            {
                yield return Invariant($"%Cpu{cpu.Cpu,-3}: {cpu}");
            }
        }
        else
        {
            yield return $"%Cpu(s): {sample.Total}";
        }

        if (sample.Memory is { } memory)
        {
            (double unit, char letter) = UnitFor(Math.Max(memory.TotalBytes, memory.SwapTotalBytes));
            string available = memory.AvailableBytes is { } bytes ? Invariant($" {bytes / unit,8:0.0} avail Mem") : "";
            long swapUsed = memory.SwapTotalBytes - memory.SwapFreeBytes;
            yield return Invariant($"{letter}iB Mem : {memory.TotalBytes / unit,8:0.0} total, {memory.FreeBytes / unit,8:0.0} free, ")
                + Invariant($"{memory.UsedBytes / unit,8:0.0} used, {memory.CacheBytes / unit,8:0.0} buff/cache");
            yield return Invariant($"{letter}iB Swap: {memory.SwapTotalBytes / unit,8:0.0} total, ")
                + Invariant($"{memory.SwapFreeBytes / unit,8:0.0} free, {swapUsed / unit,8:0.0} used.{available}");
        }

        if (sample.Cgroup is { } cgroup)
        {
            string used = cgroup.Now.Share is { } share ? Invariant($"{share:0.00} of ") : "";
            string throttled = cgroup.Periods is null ? ""
                : Invariant($", {cgroup.ThrottledPeriods} of {cgroup.Periods} periods throttled, ")
                    + Invariant($"{cgroup.ThrottledTime?.TotalSeconds:0.00} s");
            string ever = cgroup.Now.ThrottledTime is { } time ? Invariant($" ({time.TotalSeconds:0.0} s in total)") : "";
            yield return Invariant($"Cgroup  : {used}{cgroup.Now.Limit:0.00} CPUs{throttled}{ever}");
        }

        if (sample.Pressure is { } some)
        {
            yield return Invariant($"Pressure:{some.Average10Seconds * 100,5:0.0} avg10,{some.Average60Seconds * 100,5:0.0} avg60,")
                + Invariant($"{some.Average300Seconds * 100,5:0.0} avg300, % of time some thread waited");
        }

        // Exclude kernel threads, whose niceness the user did not set: they have no address space.
        if (sample.HasAutogroups == true && sample.Processes.Exists(row => row.Process is { Nice: not (0 or null), VirtualBytes: > 0 }))
        {
            yield return "NI      : applies only within a session: autogroups are enabled (sched(7))";
        }
    }

    private static string First(TopSample sample)
    {
        string uptime = sample.Uptime is { } up ? $"up {Uptime(up)}" : "";
        string users = sample.Users is { } count ? Invariant($"{count,2} user{(count > 1 ? "s" : "")}") : "";
        string load = sample.LoadAverage is { } average ? $" load average: {average}" : "";
        string[] parts = [uptime, users, load];
        return Invariant($"top - {sample.Time:HH:mm:ss} {string.Join(", ", parts.Where(part => part.Length > 0))}").TrimEnd();
    }

    // As in uptime(1), in minutes during the first hour.
    private static string Uptime(TimeSpan up)
    {
        string days = up.Days == 0 ? "" : Invariant($"{up.Days} day{(up.Days == 1 ? "" : "s")}, ");
        return days + (up.Hours == 0 ? Invariant($"{up.Minutes} min") : Invariant($"{up.Hours,2}:{up.Minutes:00}"));
    }

    private static string Tasks(TopSample sample, TopSettings settings)
    {
        int total = 0, running = 0, stopped = 0, zombies = 0;
        foreach (TopRow row in settings.ShowThreads ? sample.Threads : sample.Processes)
        {
            if (settings.Pids.Count > 0 && !settings.Pids.Contains(row.Process.Id))
            {
                continue;
            }

            total++;
            _ = row.State switch { 'R' => running++, 'T' or 't' => stopped++, 'Z' => zombies++, _ => 0 };
        }

        int sleeping = total - running - stopped - zombies;
        string filter = settings.Filter.Length > 0 ? $"; filter: {ForeignText.Clean(settings.Filter)}" : "";
        return Invariant($"{(settings.ShowThreads ? "Threads" : "Tasks")}: {total,3} total, {running,3} running, ")
            + Invariant($"{sleeping,3} sleeping, {stopped,3} stopped, {zombies,3} zombie") + filter;
    }

    private static (double Bytes, char Letter) UnitFor(long largestBytes)
    {
        double bytes = MiB;
        int unit = 0;
        while (largestBytes / bytes > MaxInColumn && unit < Units.Length - 1)
        {
            bytes *= 1024;
            unit++;
        }

        return (bytes, Units[unit]);
    }
}
