using Picollo.Cpu.Linux;

namespace Picollo.Cpu;

/// <summary>A thread of this process.</summary>
/// <param name="Id">The system's ID.</param>
/// <param name="StartNanoseconds">When it began; with the ID, what tells it from others.</param>
/// <param name="Name">Its name; on Linux the first 15 bytes.</param>
/// <param name="TotalNanoseconds">The CPU time since it began.</param>
/// <param name="WatchedNanoseconds">What of that it took in flows that were watched.</param>
internal readonly record struct ProcessThread(long Id, long StartNanoseconds, string Name, long TotalNanoseconds, long WatchedNanoseconds);

/// <summary>The threads of this process that run, by name. Linux; none elsewhere. Not thread-safe.</summary>
internal sealed class ProcessThreads
{
    private readonly LinuxTasks? _tasks = OperatingSystem.IsLinux() && LinuxTasks.OwnIdIn("/proc") == Environment.ProcessId
        ? new LinuxTasks("/proc")
        : null;

    private readonly SystemCpuSample _sample = new();

    /// <summary>Reads them all. A thread that ends meanwhile is left out.</summary>
    public IReadOnlyList<ProcessThread> Read()
    {
        _sample.Clear();
        _tasks?.ReadThreadsOf(Environment.ProcessId, _sample);
        Dictionary<long, long> watched = [];
        foreach (ThreadSegment segment in ThreadSegment.All)
        {
            if (segment.ThreadId is { } id)
            {
                watched[id] = segment.GetWatchedNanoseconds();
            }
        }

        List<ProcessThread> threads = [];
        foreach (ref readonly TaskSample task in _sample.Threads.Items)
        {
            if (CpuTimes.Current.TryGetTotal(ResourceOwner.Thread, task.Id, out long total, out _))
            {
                threads.Add(new(task.Id, task.Shown.StartNanoseconds, task.Shown.Name, total, watched.GetValueOrDefault(task.Id)));
            }
        }

        return threads;
    }
}
