using System.Globalization;
using Picollo.Cpu;

namespace Picollo.Peers.Tests.SystemTools;

/// <summary>Compares the threads of this process, and processes that wait for a CPU, with <c>pidstat -t</c>.</summary>
[Collection(Alone.Name)]
public class PidstatTests
{
    [FactNeeding(Need.Pidstat, Need.Taskset)]
    public void Threads_and_waits_agree_with_pidstat()
    {
        using var over = new CancellationTokenSource();
        Thread[] threads = [new(() => Compute(pause: 0, over.Token)), new(() => Compute(pause: 10, over.Token))];
        Array.ForEach(threads, thread => thread.Start());
        using var cpu = new SystemCpu(SystemCpuParts.Processes | SystemCpuParts.Threads | SystemCpuParts.Waits | SystemCpuParts.Owners);
        int last = cpu.Cpus[^1].Cpu!.Value;
        using var plain = new Load(last, niceness: 0);
        using var nice = new Load(last, niceness: 3);
        int[] ids = [.. new[] { Environment.ProcessId, plain.Id, nice.Id }.Order()];
        string first = ids[0].ToString(CultureInfo.InvariantCulture);
        try
        {
            Agreement.Reach(() =>
            {
                List<string> report = Reports.Run(
                    ["pidstat", "-t", "-h", "-p", string.Join(',', ids), "2", "2"],
                    line => Reports.Fields(line) is [_, _, var process, "-", ..] && process == first,
                    _ => cpu.Update());
                return Compare([.. report.Select(Reports.Fields).Where(fields => fields.Length >= 11)], cpu);
            });
        }
        finally
        {
            over.Cancel();
            Array.ForEach(threads, thread => thread.Join());
        }

        cpu.Threads.Count(thread => thread.ProcessId == Environment.ProcessId && thread.Share > 0.01).Should().BeGreaterThanOrEqualTo(2);
        cpu.Processes.Where(process => process.Id == plain.Id || process.Id == nice.Id)
            .Should().HaveCount(2).And.OnlyContain(process => process.WaitShare > 0.1, "they compete for the same CPU");
    }

    // Time UID TGID TID %usr %system %guest %wait %CPU CPU Command. A row without a TID is a process, the next rows are its threads.
    private static IEnumerable<(string What, double Theirs, double? Ours)> Compare(List<string[]> rows, SystemCpu cpu)
    {
        Dictionary<long, double?> threads = cpu.Threads.ToDictionary(thread => thread.Id, thread => thread.Share);
        int processes = 0, both = 0;
        foreach (string[] row in rows)
        {
            if (row[3] == "-")
            {
                processes++;
                ProcessCpu ours = cpu.Processes.Single(process => process.Id == int.Parse(row[2], CultureInfo.InvariantCulture));
                ours.UserId.Should().Be(uint.Parse(row[1], CultureInfo.InvariantCulture));
                yield return ($"CPU of {ours.Id}", Percent(row[8]), ours.Share);
                if (ours.Id != Environment.ProcessId) // whose threads start and end
                {
                    yield return ($"wait of {ours.Id}", Percent(row[7]), ours.WaitShare);
                }
            }
            else if (threads.TryGetValue(long.Parse(row[3], CultureInfo.InvariantCulture), out double? share)) // a thread that ended in between is in only one of the two
            {
                both++;
                yield return ($"thread {row[3]} {row[^1]}", Percent(row[8]), share);
            }
        }

        processes.Should().Be(3);
        both.Should().BeGreaterThan(5);

        static double Percent(string cell) => double.Parse(cell, CultureInfo.InvariantCulture) / 100;
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
