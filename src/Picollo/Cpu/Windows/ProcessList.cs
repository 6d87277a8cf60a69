using Picollo.Interop.Windows;

namespace Picollo.Cpu.Windows;

/// <summary>Parses the result of <c>NtQuerySystemInformation(SystemProcessInformation)</c>: all processes and their threads in one list. It
/// never reads beyond the end of the list, whatever the content. Entries need not be aligned (those of Wine are not).</summary>
/// <param name="bootUnits">The time at which the clock of the timestamps was 0, in units of 100 ns since 1601. It is the same for all
/// samples, because a task is identified by its start, even if the time of day is adjusted.</param>
internal sealed class ProcessList(long bootUnits)
{
    private const long IdleProcessId = 0; // a placeholder whose time is the idle time
    private readonly TaskNames _names = new();

    /// <summary>Adds the requested parts: processes, threads and the run queue. Names refer to the <paramref name="address"/> of the list
    /// when it was filled.</summary>
    public void Read(ReadOnlySpan<byte> list, ulong address, SystemCpuSample sample, SystemCpuParts parts)
    {
        int running = 0, threads = 0;
        int offset = 0;
        while (MemoryMarshal.TryRead(list[offset..], out ProcessEntry process))
        {
            if (process.ProcessId != IdleProcessId)
            {
                string name = NameOf(process, list, address);
                ReadOnlySpan<ThreadEntry> itsThreads = ThreadsOf(process, list[offset..]);
                char? state = ReadThreads(itsThreads, process, name, sample, parts, ref running);
                threads += itsThreads.Length;
                if ((parts & SystemCpuParts.Processes) != 0)
                {
                    ProcessCpu shown = Show(process, name, state, itsThreads.Length);
                    Add(sample.Processes, process.ProcessId, (parts & SystemCpuParts.Memory) == 0 ? shown : shown with
                    {
                        VirtualBytes = SizeOf(process.VirtualBytes),
                        ResidentBytes = SizeOf(process.ResidentBytes),
                    });
                }
            }

            // Offsets only increase, so a list that points into itself also ends.
            if (process.NextOffset < Unsafe.SizeOf<ProcessEntry>() || process.NextOffset > list.Length - offset)
            {
                break;
            }

            offset += (int)process.NextOffset;
        }

        // The calling thread is running. If no thread is, this Windows does not report states.
        if ((parts & SystemCpuParts.RunQueue) != 0 && threads > 0)
        {
            sample.RunQueue = new RunQueueState(running > 0 ? running : null, Blocked: null, threads);
        }
    }

    private char? ReadThreads(
        ReadOnlySpan<ThreadEntry> threads,
        in ProcessEntry process,
        string name,
        SystemCpuSample sample,
        SystemCpuParts parts,
        ref int running)
    {
        char? processState = null;
        foreach (ref readonly ThreadEntry thread in threads)
        {
            char? state = thread.State;
            running += state == 'R' ? 1 : 0;

            // The process has the most active state of its threads: R before S before T before X, which is the alphabetical order.
            if (processState is null || state < processState)
            {
                processState = state ?? processState;
            }

            if ((parts & SystemCpuParts.Threads) != 0)
            {
                Add(sample.Threads, thread.ThreadId, Show(thread, process, name));
            }
        }

        return processState;
    }

    private static void Add(SampleTable<TaskSample> tasks, long id, in ProcessCpu shown) =>
        tasks.Add(id, new TaskSample { Id = id, Shown = shown });

    private ProcessCpu Show(in ProcessEntry process, string name, char? state, int threadCount) => new()
    {
        Id = (int)process.ProcessId,
        StartNanoseconds = StartOf(process.Created),
        Name = name,
        State = state,
        Priority = process.BasePriority,
        Usage = UsageOf(process.User, process.Kernel),
        ThreadCount = threadCount,
    };

    private ProcessCpu Show(in ThreadEntry thread, in ProcessEntry process, string name) => new()
    {
        Id = (int)process.ProcessId,
        StartNanoseconds = StartOf(thread.Created),
        Name = name,
        State = thread.State,
        Priority = thread.Priority,
        Usage = UsageOf(thread.User, thread.Kernel),
    };

    // A task that started before the clock (the system itself) has the start time 0.
    private long StartOf(long created) => created > bootUnits ? FileTime.ToNanoseconds((ulong)(created - bootUnits)) : 0;

    private static long? SizeOf(long bytes) => bytes > 0 ? bytes : null;

    private static CpuUsage UsageOf(long user, long kernel) =>
        new(FileTime.ToNanoseconds((ulong)Math.Max(user, 0)), FileTime.ToNanoseconds((ulong)Math.Max(kernel, 0)));

    private string NameOf(in ProcessEntry process, ReadOnlySpan<byte> list, ulong address)
    {
        ulong offset = process.NameAddress - address; // an address before the list wraps to a large offset
        return offset <= (ulong)list.Length && process.NameBytes <= (ulong)list.Length - offset
            ? _names.Get(MemoryMarshal.Cast<byte, char>(list.Slice((int)offset, process.NameBytes)))
            : "";
    }

    private static ReadOnlySpan<ThreadEntry> ThreadsOf(in ProcessEntry process, ReadOnlySpan<byte> fromProcess)
    {
        ReadOnlySpan<byte> rest = fromProcess[Unsafe.SizeOf<ProcessEntry>()..];
        int fit = rest.Length / Unsafe.SizeOf<ThreadEntry>();
        return MemoryMarshal.Cast<byte, ThreadEntry>(rest[..(Math.Clamp(process.ThreadCount, 0, fit) * Unsafe.SizeOf<ThreadEntry>())]);
    }
}
