using System.Text;
using Picollo.Cpu;
using Picollo.Cpu.Linux;
using Picollo.Cpu.Windows;
using Picollo.PerfEvent;
using Picollo.Profiling.Sampling;
using Picollo.Tests.Cpu.Windows;
using static Picollo.Fuzz.Tests.FuzzTargets;

namespace Picollo.Fuzz.Tests;

/// <summary>Files of /proc and /sys, and the equivalent data of Windows.</summary>
internal static class ProcTargets
{
    private const string Maps =
        """
        7f00-8f00 r-xp 00001000 08:01 12345                      /usr/lib/lib a.so (deleted)
        7f1c2c000000-7f1c2c021000 rw-p 00000000 00:00 0
        7f1c30000000-7f1c30021000 r-xp 00000000 00:01 2052       /memfd:doublemapper (deleted)
        ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0  [vsyscall]

        """;

    private const SystemCpuParts Everything = SystemCpuParts.All;

    public static FuzzTarget[] All { get; } =
    [
        new(
            "proc-machine",
            () =>
            [
                FuzzSeed.Of("cpu  1000 200 300 4000 50 0 10 5 0 0\ncpu0 500 100 150 2000 25 0 5 3 0 0\ncpu1 500 100 150 2000 25 0 5 2 0 0\nprocs_running 3\nprocs_blocked 1\n"),
                FuzzSeed.Of("cpu  18446744073709551615 9223372036854775807 9223372036854775808 1 2 3 4 5 18446744073709551615 6\n\fcpu  1 2 3 4 5 6 7 8 9 10\n"),
                FuzzSeed.Of("0.65 0.33 0.20 2/249 3797\n"),
                FuzzSeed.Of("some avg10=1.50 avg60=0.75 avg300=100.00 total=1234567\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=7\n"),
                FuzzSeed.Of("MemTotal:       16308152 kB\nMemFree:         1203948 kB\nMemAvailable:   9123456 kB\nBuffers: 1 kB\nCached: 2 kB\nSReclaimable: 3 kB\nShmem: 4 kB\nSwapTotal: 5 kB\nSwapFree: 5 kB\n"),
                .. Files("/proc/stat", "/proc/meminfo", "/proc/loadavg", "/proc/pressure/cpu"),
            ],
            ReadMachine)
        {
            Longest = 1 << 13,
            Count = 3000,
        },
        new(
            "proc-task",
            () =>
            [
                FuzzSeed.Of("1234 (a) R 1 (b) R 1 1 1 0 -1 4194304 100 0 0 0 3133440 384 0 0 20 0 1 0 555 1000 18446744073709551615 1 2 3 4 5 6 7 8 9 10 11 12 17 1 0 0 0\n"),
                FuzzSeed.Of("123456789 555 42\n"), FuzzSeed.Of("1000 200 100 1 0 50 0\n"), FuzzSeed.Of("dotnet\0app.dll\0--urls\0\0"),
                .. Files("/proc/self/stat", "/proc/self/schedstat", "/proc/self/statm", "/proc/self/cmdline", "/proc/self/status"),
            ],
            ReadTask)
        {
            Count = 3000,
        },
        new(
            "cgroup",
            () =>
            [
                FuzzSeed.Of("usage_usec 7000000\nnr_periods 10\nnr_throttled 4\nthrottled_usec 2500000\nthrottled_time 1\n"), FuzzSeed.Of("50000 100000\n"), FuzzSeed.Of("max 100000\n"),
                FuzzSeed.Of("4:cpu,cpuacct:/docker/1\n2:cpuacct:/\n0::/docker\n\f32 31 0:29 /docker /sys/fs/cgroup/cpu rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct\n30 23 0:26 / /c\\040g rw - cgroup2 none rw\n"),
                .. Files("/sys/fs/cgroup/cpu.stat", "/proc/self/cgroup", "/proc/self/mountinfo"),
                .. File.Exists("/proc/self/cgroup") ? new[] { FuzzSeed.Of($"{File.ReadAllText("/proc/self/cgroup")}\f{File.ReadAllText("/proc/self/mountinfo")}") } : [],
            ],
            ReadCgroup)
        {
            BytesPerByte = 4_000, // a path of 4 KB, the limit of Linux, has 2,000 folders, each with its own path in UTF-16, in two hierarchies
            Longest = 4_000,
            Count = 2000,
        },
        new("proc-maps", () => [FuzzSeed.Of(Maps), .. Files("/proc/self/maps").Select(seed => seed with { Bytes = seed.Bytes[..Math.Min(seed.Bytes.Length, 10_000)] })], ReadMaps),
        new("directory-entries", () => [new([.. Entry("1234"), .. Entry("self"), .. Entry("a")])], ReadEntries),
        new("process-list", () => [new(ProcessList())], ReadProcessList),
        new(
            "perf-events",
            () =>
            [
                FuzzSeed.Of("instructions,cycles,L1-dcache-load-misses,page-faults"), FuzzSeed.Of("r01c2,cpu/event=0x2e,umask=0x41,name/,sched:sched_switch"),
                FuzzSeed.Of("config:0-7,32-35"), FuzzSeed.Of("config1:0-63\n"), FuzzSeed.Of("event=0x3c,umask=0x01,inv,cmask=18446744073709551615"),
            ],
            ReadEvents)
        {
            Documented = [typeof(ArgumentException), typeof(FormatException)],
            BytesPerByte = 1000,
            Longest = 2_000, // the most similar names are searched for
            Count = 200,
        },
    ];

    private static long ReadMachine(byte[] text)
    {
        var sample = new SystemCpuSample();
        long read = 0;
        if (ProcStat.TryParse(text, sample))
        {
            Check(sample.Total[CpuState.User] >= TimeSpan.Zero, "A time is negative.");
            read += 1;
        }

        int second = text.AsSpan().IndexOf((byte)'\f') + 1;
        var after = new SystemCpuSample();
        if (ProcStat.TryParse(text.AsSpan(second), after))
        {
            CheckShares(CpuStates.Between(null, sample.Total, after.Total));
            read += 2;
        }

        read += ProcLoadAverage.TryParse(text, out LoadAverage average, out int? running, out int? threads) ? 4 : 0;
        NotNegative(average.OneMinute, average.FiveMinutes, average.FifteenMinutes, running, threads);
        read += ProcPressure.TryParse(text, out CpuPressure some) ? 8 : 0;
        NotNegative(some.Average10Seconds, some.Average60Seconds, some.Average300Seconds, some.Total.Ticks);
        read += ProcMemory.TryParse(text, out MachineMemory memory) ? 16 : 0;
        NotNegative(memory.TotalBytes, memory.FreeBytes, memory.AvailableBytes, memory.CacheBytes, memory.UsedBytes, memory.SwapTotalBytes, memory.SwapFreeBytes);
        return read;
    }

    private static void CheckShares(CpuStates states)
    {
        double?[] shares =
            [states.User, states.Nice, states.System, states.Idle, states.IOWait, states.HardIrq, states.SoftIrq, states.Steal, states.Guest, states.GuestNice];
        Check(shares.All(share => share is null or (>= 0 and <= 1)), "A share is not from 0 to 1.");
        Check(!states.HasShares || Math.Abs(shares.Sum()!.Value - 1) < 1e-9, "The shares do not add up to 1.");
    }

    private static long ReadTask(byte[] text)
    {
        long read = 0;
        if (ProcTaskStat.TryParse(text, out ProcTaskStat stat))
        {
            NotNegative(stat.Usage.UserNanoseconds, stat.Usage.KernelNanoseconds, stat.Usage.TotalNanoseconds, stat.LatestStartNanoseconds, stat.LastCpu);
            Check(char.IsAsciiLetter(stat.State), "The state is not a letter.");
            read += 1;
        }

        read += ProcSchedStat.TryParse(text, out ProcSchedStat schedStat) ? 2 : 0;
        NotNegative(schedStat.RunNanoseconds, schedStat.WaitNanoseconds, schedStat.Runs);
        read += ProcMemory.TryParseStatm(text, out long size, out long resident, out long shared) ? 4 : 0;
        NotNegative(size, resident, shared);
        int arguments = text.Length == 0 ? 0 : text.AsSpan(..^1).Count((byte)0) + 1;
        Check(LinuxTasks.ParseCommandLine(text).Length == arguments, "The number of arguments is wrong.");
        Check(new TaskNames().Get(text) is not null, "There is no name.");
        return read;
    }

    private static long ReadCgroup(byte[] text)
    {
        CgroupCpu group = CgroupFiles.AddStatistics(default, text);
        NotNegative(
            CgroupFiles.ParseMax(text), CgroupFiles.ParseQuota(text, text), CgroupFiles.ParseNumber(text), group.UsageNanoseconds, group.PeriodCount, group.ThrottledPeriodCount,
            group.ThrottledTime?.Ticks);
        int second = text.AsSpan().IndexOf((byte)'\f');
        if (!CgroupLocation.TryFind(second < 0 ? text : text.AsSpan(0, second), text.AsSpan(second + 1), out CgroupLocation? location, out _))
        {
            return 1;
        }

        Check(location.CpuDirectories.Any(), "The group has no folder.");
        return 2;
    }

    private static long ReadMaps(byte[] text)
    {
        long count = 0;
        foreach (CodeMapping mapping in CodeMapping.Parse(Text(text).Split('\n')))
        {
            Check(mapping.Length > 0 && mapping.Start + mapping.Length > mapping.Start, "A mapping is empty, or ends before it starts.");
            count++;
        }

        return count;
    }

    private static byte[] Entry(string name)
    {
        // linux_dirent64: u64 inode, s64 offset, u16 length, u8 type, the name and a zero.
        byte[] entry = new byte[(19 + name.Length + 8) / 8 * 8];
        entry[16] = (byte)entry.Length;
        entry[18] = 4;
        Encoding.UTF8.GetBytes(name).CopyTo(entry, 19);
        return entry;
    }

    private static long ReadEntries(byte[] bytes)
    {
        var entries = new DirectoryEntries(bytes);
        long count = 0;
        while (entries.MoveNext())
        {
            count++;
            Check(count <= bytes.Length / 20, "There are more entries than fit.");
        }

        return count;
    }

    private static byte[] ProcessList() => new ProcessListBuilder()
        .Add(440, "a.exe", threads: [new(444), new(448)]).Add(460, "b.exe", threads: new ProcessListBuilder.Thread(464)).ToArray();

    private static long ReadProcessList(byte[] list)
    {
        var sample = new SystemCpuSample();
        new ProcessList(bootUnits: 1).Read(list, ProcessListBuilder.Address, sample, Everything);
        Check(sample.Processes.Items.ToArray().All(p => p.Shown.Usage is { UserNanoseconds: >= 0, KernelNanoseconds: >= 0 }), "A time is negative.");
        Check((sample.RunQueue?.Total ?? 0) >= 0, "A number of threads is negative.");
        return sample.Processes.Items.Length + sample.Threads.Items.Length;
    }

    private static long ReadEvents(byte[] input)
    {
        string text = Text(input);
        long read = 0;
        if (PerfEventFormat.Parse(text) is { } format)
        {
            var definition = new PerfEventDefinition(PerfTypeId.Raw, 0);
            _ = format.TrySet(ref definition, ulong.MaxValue);
            read = 1;
        }

        ArgumentException? error = null;
        try
        {
            _ = PerfEventCounterSession.Factory.WithPerfEvents(text);
            read += 2;
        }
        catch (ArgumentException e)
        {
            error = e;
        }

        read += PerfEventTerm.ParseList(text).Count();
        return error is null || read > 0 ? read : throw error;
    }

    private static void NotNegative(params ReadOnlySpan<double?> values)
    {
        foreach (double? value in values)
        {
            Check(value is null or (>= 0 and < double.PositiveInfinity), "A number is negative, or not finite.");
        }
    }
}
