using Picollo.Cpu;
using Picollo.Cpu.Linux;

namespace Picollo.Diagnostics;

/// <summary>Reads the threads of a command and of the processes that it started at intervals, and remembers the last observed state of
/// each.</summary>
/// <remarks>Reads <c>/proc/&lt;pid&gt;/task</c> and, for child processes, the file <c>children</c> there (CONFIG_PROC_CHILDREN). Counters
/// that each thread inherits separately (perf's inherit_stat) were rejected, because the kernel adds the counts of an ended thread to those
/// of its parent.</remarks>
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
        // The first read happens after an interval, because the process still runs picollo_spawn before the command is released.
        while (!_stopped.Wait(interval))
        {
            _sample.Clear();
            ReadThreads(_process);
            foreach (ref readonly TaskSample task in _sample.Threads.Items)
            {
                ProcessCpu shown = task.Shown;
                _seen[(task.Id, shown.StartNanoseconds)] = new CommandThread(
                    shown.Id, task.Id, shown.Name, task.PreciseNanoseconds ?? shown.Usage.TotalNanoseconds);
            }
        }
    }

    private void ReadThreads(int process)
    {
        int before = _sample.Threads.Count;
        _tasks.ReadThreadsOf(process, _sample);
        int after = _sample.Threads.Count;
        for (int i = before; i < after; i++)
        {
            foreach (int child in ChildrenOf(process, _sample.Threads.Items[i].Id))
            {
                ReadThreads(child);
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
            return []; // the process has ended
        }
    }
}
