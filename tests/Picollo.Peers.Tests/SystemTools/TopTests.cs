using System.Globalization;
using Picollo.Cpu;

namespace Picollo.Peers.Tests.SystemTools;

/// <summary>Compares the summary lines, the load, and processes with their sizes and users with <c>top</c>.</summary>
[Collection(Alone.Name)]
public class TopTests
{
    [FactNeeding(Need.Top, Need.Taskset)]
    public void States_and_processes_agree_with_top()
    {
        using var cpu = new SystemCpu(SystemCpuParts.LoadAverage | SystemCpuParts.Processes | SystemCpuParts.Memory | SystemCpuParts.Owners);
        int last = cpu.Cpus[^1].Cpu!.Value;
        using var plain = new Load(last, niceness: 0);
        using var nice = new Load(last, niceness: 3);
        Load[] loads = [plain, nice];
        bool isLoadAverageSame = false;

        Agreement.Reach(() =>
        {
            string ids = string.Join(',', loads.Select(load => load.Id));
            List<string> report = Reports.Run(
                ["top", "-b", "-n", "3", "-d", "2", "-w", "256", "-E", "k", "-p", ids], // the first report covers the time since the start of the system
                line => line.StartsWith("top - ", StringComparison.Ordinal),
                _ => cpu.Update());

            // Three numbers that change every five seconds. The texts are the same, unless the numbers change in between.
            isLoadAverageSame |= report[0].EndsWith($"load average: {cpu.LoadAverage}", StringComparison.Ordinal);
            return
            [
                .. States(report.Single(line => line.StartsWith("%Cpu(s):", StringComparison.Ordinal)), cpu.Total.ToString()),
                .. Memory(report, cpu.Memory!.Value),
                .. loads.SelectMany(load => Process(report, cpu.Processes.Single(process => process.Id == load.Id))),
            ];
        });

        isLoadAverageSame.Should().BeTrue("{0} is the load average now", cpu.LoadAverage);
        cpu.Processes.Where(process => loads.Any(load => load.Id == process.Id)).Select(process => process.LastCpu).Should().Equal(last, last);
    }

    private static IEnumerable<(string What, double Theirs, double? Ours)> States(string theirs, string ours)
    {
        Dictionary<string, double> our = Parse(ours);
        return Parse(theirs["%Cpu(s):".Length..]).Select(state =>
            (state.Key, state.Value, our.TryGetValue(state.Key, out double share) ? (double?)share : null));

        // Parses "50.5 us,  0.5 sy" by letters.
        static Dictionary<string, double> Parse(string line) => line.Split(',').Select(Reports.Fields)
            .ToDictionary(fields => fields[1], fields => double.Parse(fields[0], CultureInfo.InvariantCulture) / 100);
    }

    // "KiB Mem : 24684112 total, 23454784 free,   501072 used,  1067768 buff/cache" and "KiB Swap:        0 total,        0 free, …  24183040 avail Mem"
    private static IEnumerable<(string What, double Theirs, double? Ours)> Memory(List<string> report, MachineMemory ours)
    {
        // The tolerance is a hundredth of the memory, because other programs allocate and free memory between the two readings. The
        // unit scales values so that this equals the tolerance for CPUs.
        double unit = Agreement.Tolerance / (0.01 * ours.TotalBytes);
        Dictionary<string, long> memory = Parse("KiB Mem :"), swap = Parse("KiB Swap:");
        memory["total"].Should().Be(ours.TotalBytes / 1024);
        swap["total"].Should().Be(ours.SwapTotalBytes / 1024);
        return
        [
            ("memory free", memory["free"] * 1024 * unit, ours.FreeBytes * unit),
            ("memory used", memory["used"] * 1024 * unit, ours.UsedBytes * unit),
            ("buff/cache", memory["buff/cache"] * 1024 * unit, ours.CacheBytes * unit),
            ("swap free", swap["free"] * 1024 * unit, ours.SwapFreeBytes * unit),
            ("avail", swap["avail"] * 1024 * unit, ours.AvailableBytes * unit),
        ];

        Dictionary<string, long> Parse(string start) => report.Single(line => line.StartsWith(start, StringComparison.Ordinal))[start.Length..]
            .Split(',', '.').Select(Reports.Fields).ToDictionary(fields => fields[1], fields => long.Parse(fields[0], CultureInfo.InvariantCulture));
    }

    private static IEnumerable<(string What, double Theirs, double? Ours)> Process(List<string> report, ProcessCpu ours)
    {
        // PID USER PR NI VIRT RES SHR S %CPU %MEM TIME+ COMMAND
        string[] fields = report.Select(Reports.Fields)
            .Single(each => each.Length >= 12 && each[0] == ours.Id.ToString(CultureInfo.InvariantCulture));
        int.Parse(fields[2], CultureInfo.InvariantCulture).Should().Be(ours.Priority);
        int.Parse(fields[3], CultureInfo.InvariantCulture).Should().Be(ours.Nice);
        fields[7].Should().Be(ours.State.ToString());
        fields[11].Should().Be(ours.Name);
        ours.ThreadCount.Should().Be(1);

        // A shell in a loop does not use more memory.
        fields[1].Should().Be(TopUser.Shown);
        ours.UserId.Should().Be(uint.Parse(Tool.Run("id", "/", new Dictionary<string, string?>(), "-u"), CultureInfo.InvariantCulture));
        fields[4..7].Select(size => long.Parse(size, CultureInfo.InvariantCulture) * 1024).Should().Equal(
            ours.VirtualBytes!.Value, ours.ResidentBytes!.Value, ours.SharedBytes!.Value);
        yield return ($"CPU of {ours.Name} at nice {ours.Nice}", double.Parse(fields[8], CultureInfo.InvariantCulture) / 100, ours.Share);
    }
}
