using Picollo.Cli.Shell;
using Picollo.Cli.Top;
using Picollo.Cpu;

namespace Picollo.Cli.Tests.Top;

/// <summary>Artificial samples.</summary>
internal static class ArtificialMachine
{
    private const long GiB = 1L << 30;

    public static TopSample Create(int cpus = 2)
    {
        CpuStates[] each = [.. Enumerable.Range(0, cpus).Select(cpu => States(cpu))];
        return new TopSample
        {
            Time = new DateTimeOffset(2026, 11, 22, 1, 2, 3, TimeSpan.Zero),
            Interval = TimeSpan.FromSeconds(3),
            Uptime = new TimeSpan(15, 53, 20),
            Users = 1,
            LoadAverage = new LoadAverage(0.02, 1.34, 12.5),
            Total = States(null),
            Cpus = each,
            Memory = new MachineMemory
            {
                TotalBytes = 24 * GiB,
                FreeBytes = 20 * GiB,
                AvailableBytes = 22 * GiB,
                CacheBytes = 2 * GiB,
                SwapTotalBytes = 0,
                SwapFreeBytes = 0,
            },
            Pressure = new CpuPressure(0.1234, 0.05, 0.0001, TimeSpan.FromSeconds(7)),
        };
    }

    /// <summary>60 us, 5 sy, 1 ni, 30 id and small values of the others, in ticks of 10 ms.</summary>
    public static CpuStates States(int? cpu)
    {
        (CpuState State, int Percent)[] percents =
        [
            (CpuState.User, 60), (CpuState.System, 5), (CpuState.Nice, 1), (CpuState.Idle, 30),
            (CpuState.IOWait, 1), (CpuState.HardIrq, 0), (CpuState.SoftIrq, 1), (CpuState.Steal, 2),
        ];
        CpuStateTimes before = default;
        CpuStateTimes after = default;
        foreach ((CpuState state, int percent) in percents)
        {
            before = before.With(state, 1_000_000_000);
            after = after.With(state, 1_000_000_000 + (percent * 10_000_000L));
        }

        return CpuStates.Between(cpu, before, after);
    }

    public static ProcessCpu Process(int id, string name, double? share = 0, double seconds = 0) => new()
    {
        Id = id,
        Name = name,
        State = 'S',
        Nice = 0,
        Priority = 20,
        Share = share,
        WaitShare = share is null ? null : 0,
        VirtualBytes = 48_148 << 10,
        ResidentBytes = 17_680 << 10,
        SharedBytes = 8_796 << 10,
        UserId = 0,
        Usage = new CpuUsage((long)(seconds * 1e9), 0),
        ThreadCount = 1,
        LastCpu = 0,
    };

    public static TopSample With(this TopSample sample, params ProcessCpu[] processes)
    {
        sample.Processes.AddRange(processes.Select(process => new TopRow(process, null, process.UserId == 0 ? "root" : "other-user")));
        return sample;
    }

    /// <summary>Creates a kernel thread.</summary>
    public static ProcessCpu Kernel(int id, string name) => Process(id, name) with { VirtualBytes = 0, ResidentBytes = 0, SharedBytes = 0, State = 'I', Nice = -20, Priority = 0 };

    public static string Text(this IEnumerable<ScreenLine> lines) => string.Concat(lines.Select(line => $"{line.Text}\n"));
}
