using System.Globalization;
using Picollo.Cpu;

namespace Picollo.Peers.Tests.SystemTools;

/// <summary>Compares the states of all CPUs and of each CPU with <c>mpstat -P ALL</c>.</summary>
[Collection(Alone.Name)]
public class MpstatTests
{
    [FactNeeding(Need.Mpstat, Need.Taskset)]
    public void CPU_states_agree_with_mpstat()
    {
        using var cpu = new SystemCpu(SystemCpuParts.None);
        int last = cpu.Cpus[^1].Cpu!.Value;
        using var nice = new Load(last, niceness: 5);

        Agreement.Reach(() =>
        {
            List<string> report = Reports.Run(
                ["mpstat", "-P", "ALL", "2", "2"],
                line => Reports.Fields(line) is [not "Average:", "all", ..],
                _ => cpu.Update());
            return Compare(report.TakeWhile(line => line.Length > 0), cpu);
        });

        cpu.Cpus.Single(each => each.Cpu == last).Nice.Should().BeGreaterThan(0.01, "there is a load at nice 5");
    }

    private static IEnumerable<(string What, double Theirs, double? Ours)> Compare(IEnumerable<string> rows, SystemCpu cpu)
    {
        int cpus = 0;
        foreach (string[] fields in rows.Select(Reports.Fields))
        {
            // Time, CPU, %usr %nice %sys %iowait %irq %soft %steal %guest %gnice %idle
            CpuStates ours = fields[1] == "all"
                ? cpu.Total
                : cpu.Cpus.Single(each => each.Cpu == int.Parse(fields[1], CultureInfo.InvariantCulture));
            cpus++;
            (string, double?)[] states =
            [
                ("usr", ours.User), ("nice", ours.Nice), ("sys", ours.System), ("iowait", ours.IOWait), ("irq", ours.HardIrq),
                ("soft", ours.SoftIrq), ("steal", ours.Steal), ("guest", ours.Guest), ("gnice", ours.GuestNice), ("idle", ours.Idle),
            ];
            for (int i = 0; i < states.Length; i++)
            {
                (string name, double? share) = states[i];
                yield return ($"{name} of CPU {fields[1]}", double.Parse(fields[i + 2], CultureInfo.InvariantCulture) / 100, share);
            }
        }

        cpus.Should().Be(cpu.Cpus.Count + 1);
    }
}
