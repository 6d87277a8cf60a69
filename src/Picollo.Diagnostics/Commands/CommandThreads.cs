using Picollo.Cpu;
using Picollo.Cpu.Linux;

namespace Picollo.Diagnostics;

/// <summary>Looks at the threads of a command and of what it started, again and again, and remembers each as it was seen last.</summary>
/// <remarks>By <c>/proc/&lt;pid&gt;/task</c>, and <c>children</c> there (CONFIG_PROC_CHILDREN) for the processes. Rejected: counters that
/// threads inherit one by one (perf's inherit_stat): the kernel adds what an ended thread counted to its parent's.</remarks>
internal sealed class CommandThreads : IDisposable
{
    private readonly int _process;
    private readonly LinuxTasks _tasks = new("/proc");
    private readonly SystemCpuSample _sample = new();
    private readonly Dictionary<(long Id, long Start), CommandThread> _seen = [];
    private readonly Thread _thread;
    private readonly ManualResetEventSlim _stopped = new();

    public CommandThreads(int process, TimeSpan interval)
    {
        _process = process;
        _thread = new Thread(() => Watch(interval)) { IsBackground = true, Name = "Picollo threads" };
        _thread.Start();
    }

    /// <summary>Ends, and gives what was seen.</summary>
    public CommandThread[] Stop()
    {
        Dispose();
        return [.. _seen.Values.OrderByDescending(thread => thread.CpuNanoseconds).ThenBy(thread => thread.ThreadId)];
    }

    public void Dispose()
    {
        _stopped.Set();
        _thread.Join();
    }

    private void Watch(TimeSpan interval)
    {
        // The first look comes late: before it is released, the command is picollo_spawn still.
        while (!_stopped.Wait(interval))
        {
            _sample.Clear();
            Look(_process);
            foreach (ref readonly TaskSample task in _sample.Threads.Items)
            {
                ProcessCpu shown = task.Shown;
                _seen[(task.Id, shown.StartNanoseconds)] = new CommandThread(
                    shown.Id, task.Id, shown.Name, task.PreciseNanoseconds ?? shown.Usage.TotalNanoseconds);
            }
        }
    }

    private void Look(int process)
    {
        int before = _sample.Threads.Count;
        _tasks.ReadThreadsOf(process, _sample);
        int after = _sample.Threads.Count;
        for (int i = before; i < after; i++)
        {
            foreach (int child in ChildrenOf(process, _sample.Threads.Items[i].Id))
            {
                Look(child);
            }
        }
    }

    private static int[] ChildrenOf(int process, long thread)
    {
        try
        {
            string children = File.ReadAllText($"/proc/{process}/task/{thread}/children");
            return [.. children.Split(' ', StringSplitOptions.RemoveEmptyEntries).Select(int.Parse)];
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return []; // it has ended
        }
    }
}
