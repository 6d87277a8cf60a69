using System.Globalization;
using Picollo.Cpu;

namespace Picollo.Peers.Tests.SystemTools;

/// <summary>Compares the threads of this process, and processes that wait for a CPU, with <c>pidstat -t</c>.</summary>
[Collection(Alone.Name)]
public class PidstatTests
{
    [FactNeeding(Need.Pidstat, Need.Taskset)]
    public void Threads_agree_with_pidstat()
    {
        using var over = new CancellationTokenSource();
        var full = new Thread(() => Compute(pause: 0, over.Token));
        var half = new Thread(() => Compute(pause: 10, over.Token));
        full.Start();
        half.Start();
        using var cpu = new SystemCpu(SystemCpuParts.Processes | SystemCpuParts.Threads);
        string id = Environment.ProcessId.ToString(CultureInfo.InvariantCulture);
        try
        {
            Agreement.Reach(() =>
            {
                List<string> report = Reports.Run(
                    ["pidstat", "-t", "-h", "-p", id, "2", "2"],
                    line => Reports.Fields(line) is [_, _, var process, "-", ..] && process == id,
                    _ => cpu.Update());
                return Compare([.. report.Select(Reports.Fields).Where(fields => fields.Length >= 11)], cpu);
            });
        }
        finally
        {
            over.Cancel();
            full.Join();
            half.Join();
        }

        cpu.Threads.Count(thread => thread.ProcessId == Environment.ProcessId && thread.Share > 0.01).Should().BeGreaterThanOrEqualTo(2);
    }

    [FactNeeding(Need.Pidstat, Need.Taskset)]
    public void Waits_agree_with_pidstat()
    {
        using var cpu = new SystemCpu(SystemCpuParts.Processes | SystemCpuParts.Waits | SystemCpuParts.Owners);
        int last = cpu.Cpus[^1].Cpu!.Value;
        using var plain = new Load(last, niceness: 0);
        using var nice = new Load(last, niceness: 3);
        int[] ids = [.. new[] { plain.Id, nice.Id }.Order()];
        string first = ids[0].ToString(CultureInfo.InvariantCulture);

        Agreement.Reach(() =>
        {
            List<string> report = Reports.Run(
                ["pidstat", "-u", "-h", "-p", string.Join(',', ids), "2", "2"],
                line => Reports.Fields(line) is [_, _, var process, ..] && process == first,
                _ => cpu.Update());
            return report.Select(Reports.Fields).Where(fields => fields.Length >= 10).SelectMany(fields => CompareWaits(fields, cpu));
        });

        ProcessCpu[] loads = [.. cpu.Processes.Where(process => ids.Contains(process.Id))];
        loads.Should().HaveCount(2).And.OnlyContain(process => process.WaitShare > 0.1, "they compete for the same CPU");
    }

    // Time UID PID %usr %system %guest %wait %CPU CPU Command
    private static IEnumerable<(string What, double Theirs, double? Ours)> CompareWaits(string[] fields, SystemCpu cpu)
    {
        ProcessCpu ours = cpu.Processes.Single(process => process.Id == int.Parse(fields[2], CultureInfo.InvariantCulture));
        ours.UserId.Should().Be(uint.Parse(fields[1], CultureInfo.InvariantCulture));
        yield return ($"wait of {ours.Id}", double.Parse(fields[6], CultureInfo.InvariantCulture) / 100, ours.WaitShare);
        yield return ($"CPU of {ours.Id}", double.Parse(fields[7], CultureInfo.InvariantCulture) / 100, ours.Share);
    }

    private static IEnumerable<(string What, double Theirs, double? Ours)> Compare(List<string[]> rows, SystemCpu cpu)
    {
        // Time UID TGID TID %usr %system %guest %wait %CPU CPU Command. The first row is the whole process.
        ProcessCpu self = cpu.Processes.Single(process => process.Id == Environment.ProcessId);
        yield return ("this process", Percent(rows[0]), self.Share);

        // Threads that ended in between are in only one of the two.
        Dictionary<long, double?> ours = cpu.Threads.Where(thread => thread.ProcessId == self.Id).ToDictionary(thread => thread.Id, thread => thread.Share);
        int both = 0;
        foreach (string[] row in rows.Skip(1).Where(row => row[2] == "-"))
        {
            if (ours.TryGetValue(long.Parse(row[3], CultureInfo.InvariantCulture), out double? share))
            {
                both++;
                yield return ($"thread {row[3]} {row[^1]}", Percent(row), share);
            }
        }

        both.Should().BeGreaterThan(3);

        static double Percent(string[] row) => double.Parse(row[8], CultureInfo.InvariantCulture) / 100;
    }

    private static void Compute(int pause, CancellationToken over)
    {
        while (!over.IsCancellationRequested)
        {
            Thread.SpinWait(100_000);
            if (pause > 0)
            {
                Thread.Sleep(pause);
            }
        }
    }
}
