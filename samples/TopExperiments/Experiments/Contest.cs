using System.Diagnostics;
using Picollo.Cpu;

namespace Picollo.Samples.Top;

/// <summary>Two programs of different niceness with the same work, on one CPU.</summary>
/// <remarks>
/// Nicenesses only count within a scheduling group. With autogroups (sched(7)) every session is a group, so two terminals share
/// evenly whatever the niceness; children of one process are in one session.
/// </remarks>
/// <param name="Winner">The one of the lower niceness.</param>
/// <param name="Loser">The other.</param>
/// <param name="States">What the CPU did in the window.</param>
public sealed record Contest(Contestant Winner, Contestant Loser, CpuStates States)
{
    private static readonly TimeSpan EndLimit = TimeSpan.FromSeconds(50);

    public double WinnersShare => (double)Winner.InWindow.Ticks / (Winner.InWindow + Loser.InWindow).Ticks;

    public static Contest Of(int winnersNice, int losersNice, int rounds, TimeSpan window)
    {
        int cpu = Affinity.LastAllowedCpu();
        CpuUsage noneEnded = CpuUsageReader.GetByChildren();
        WorkerProcess[] workers = WorkerProcess.StartAll(
            new WorkerOptions(1, winnersNice, cpu, rounds), new WorkerOptions(1, losersNice, cpu, rounds));
        using WorkerProcess winner = workers[0];
        using WorkerProcess loser = workers[1];
        TimeSpan[] atStart = CpuTimes(winner, loser);

        // The loser first: beside a computing winner it might not even come to its beginning.
        long losersStart = Stopwatch.GetTimestamp();
        loser.Go();
        long winnersStart = Stopwatch.GetTimestamp();
        winner.Go();

        TimeSpan[] before = CpuTimes(winner, loser);
        using SystemCpu machine = new(SystemCpuParts.None);
        Thread.Sleep(window);
        TimeSpan[] after = CpuTimes(winner, loser);
        machine.Update();

        // A parent is told of its children together: what the first took is known when it ends and the other has not.
        winner.WaitForEnd(EndLimit);
        TimeSpan winnersReal = Stopwatch.GetElapsedTime(winnersStart);
        CpuUsage oneEnded = CpuUsageReader.GetByChildren();
        bool isApart = !loser.HasExited;
        loser.WaitForEnd(EndLimit);
        TimeSpan losersReal = Stopwatch.GetElapsedTime(losersStart);
        CpuUsage bothEnded = CpuUsageReader.GetByChildren();

        return new Contest(
            new Contestant(winnersNice, winnersReal, isApart ? oneEnded - noneEnded : null, atStart[0], after[0] - before[0]),
            new Contestant(losersNice, losersReal, isApart ? bothEnded - oneEnded : null, atStart[1], after[1] - before[1]),
            machine.Cpus.FirstOrDefault(one => one.Cpu == cpu));
    }

    private static TimeSpan[] CpuTimes(params WorkerProcess[] workers) =>
        [.. workers.Select(worker => TimeSpan.FromMicroseconds(CpuUsageReader.GetProcessTimeNanoseconds(worker.Id) / 1e3))];
}

/// <summary>How one of the programs fared.</summary>
/// <param name="Nice">Its niceness.</param>
/// <param name="Real">From when it was let go to its end.</param>
/// <param name="Used">Its CPU time in total; null if it ended at the same time as the other.</param>
/// <param name="AtStart">Its CPU time before it was let go: the runtime's start.</param>
/// <param name="InWindow">Its CPU time in the window in which both ran.</param>
public sealed record Contestant(int Nice, TimeSpan Real, CpuUsage? Used, TimeSpan AtStart, TimeSpan InWindow)
{
    /// <summary>How many times as long it took as it would have taken alone.</summary>
    public double? OverAlone => Used is { } used ? Real / (used.Total - AtStart) : null;
}
