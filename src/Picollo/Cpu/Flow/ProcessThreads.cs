using Picollo.Cpu.Linux;

namespace Picollo.Cpu;

/// <summary>A thread of this process. Its ID and its start time identify it. On Linux, its name is limited to 15 bytes. The watched time is
/// the part of the CPU time since its start that the thread used in watched flows.</summary>
internal readonly record struct ProcessThread(long Id, long StartNanoseconds, string Name, long TotalNanoseconds, long WatchedNanoseconds);

/// <summary>Lists the running threads of this process. The list is empty on systems other than Linux. Not thread-safe.</summary>
internal sealed class ProcessThreads
{
    private readonly LinuxTasks? _tasks = OperatingSystem.IsLinux() && LinuxTasks.OwnIdIn("/proc") == Environment.ProcessId
        ? new LinuxTasks("/proc")
        : null;

    private readonly SystemCpuSample _sample = new();

    /// <summary>The CPU time that all threads, including those that have ended, used in watched flows until the last
    /// <see cref="Read"/>.</summary>
    public long WatchedNanoseconds { get; private set; }

    /// <summary>Reads all threads. A thread that ends in the meantime is omitted.</summary>
    public IReadOnlyList<ProcessThread> Read()
    {
        _sample.Clear();
        _tasks?.ReadThreadsOf(Environment.ProcessId, _sample);
        List<ProcessThread> threads = [];
        foreach (ref readonly TaskSample task in _sample.Threads.Items)
        {
            if (CpuTimes.Current.TryGetTotal(ResourceOwner.Thread, task.Id, out long total, out _))
            {
                threads.Add(new(task.Id, task.Shown.StartNanoseconds, task.Shown.Name, total, 0));
            }
        }

        // Read after the totals, so that the difference is never too high: it would have to decrease later.
        Dictionary<long, long> watched = [];
        WatchedNanoseconds = ThreadSegment.ReadWatched(watched);
        return threads.ConvertAll(thread => thread with { WatchedNanoseconds = watched.GetValueOrDefault(thread.Id) });
    }
}
