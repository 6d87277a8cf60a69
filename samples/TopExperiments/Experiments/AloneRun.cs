using System.Diagnostics;
using Picollo.Cpu;

namespace Picollo.Samples.Top;

/// <summary>A worker that ran alone: the machine while it did, and what <c>time</c> says of it.</summary>
/// <param name="Cpu">The states, processes and threads of the window.</param>
/// <param name="ProcessId">The worker's.</param>
/// <param name="Real">From its start to its end.</param>
/// <param name="Used">What it took, as its parent is told; null where the system does not tell.</param>
public sealed record AloneRun(SystemCpu Cpu, int ProcessId, TimeSpan Real, CpuUsage? Used)
{
    private const SystemCpuParts Parts = SystemCpuParts.Machine | SystemCpuParts.Processes | SystemCpuParts.Threads;

    private static readonly TimeSpan EndLimit = TimeSpan.FromSeconds(50);

    public ProcessCpu Process => Cpu.Processes.FirstOrDefault(process => process.Id == ProcessId);

    public IEnumerable<ThreadCpu> ComputingThreads =>
        Cpu.Threads.Where(thread => thread.ProcessId == ProcessId).OrderByDescending(thread => thread.Share ?? 0);

    /// <summary>CPUs' worth of time that went to other programs, interrupts left out; null where that is not known.</summary>
    public double? OfOthers =>
        (Cpu.Total.User + Cpu.Total.System + (Cpu.Total.Nice ?? 0)) * Cpu.Cpus.Count - Process.Share is { } rest ? Math.Max(rest, 0) : null;

    /// <summary>Runs a worker, watching the machine for a window of its time.</summary>
    public static AloneRun Of(WorkerOptions options, TimeSpan window)
    {
        bool isTold = CpuUsageReader.TryGetByChildren(out CpuUsage before, out _);
        long start = Stopwatch.GetTimestamp();
        SystemCpu cpu;
        int id;
        using (WorkerProcess worker = new(options))
        {
            id = worker.Id;
            worker.Go();
            cpu = Watch(window, Parts);
            if (options.Rounds is not null)
            {
                worker.WaitForEnd(EndLimit);
            }
        }

        return new AloneRun(cpu, id, Stopwatch.GetElapsedTime(start), isTold ? CpuUsageReader.GetByChildren() - before : null);
    }

    /// <summary>Two samples with so much time between.</summary>
    public static SystemCpu Watch(TimeSpan window, SystemCpuParts parts)
    {
        // Disposed, it still shows its last sample.
        using SystemCpu cpu = new(parts);
        Thread.Sleep(window);
        cpu.Update();
        return cpu;
    }
}
