using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Picollo.Interop.Windows;

namespace Picollo.Cpu.Windows;

/// <summary>Reads what <c>NtQuerySystemInformation(SystemProcessInformation)</c> filled in: all processes and their threads in one
/// list. Whatever it contains, nothing beyond its end is read; entries need not be aligned (Wine's are not).</summary>
/// <param name="bootUnits">When the clock of the samples' timestamps was 0, in units of 100 ns since 1601. One number for
/// all samples: a task is identified by its start, even if the time of day is set.</param>
internal sealed class ProcessList(long bootUnits)
{
    private const long IdleProcessId = 0; // a stand-in whose time is the idle time
    private readonly TaskNames _names = new();

    /// <summary>Adds processes, threads and the run queue, each if it is asked for. Names refer to the <paramref name="address"/> that
    /// the list had when it was filled.</summary>
    public void Read(ReadOnlySpan<byte> list, ulong address, SystemCpuSample sample, SystemCpuParts parts)
    {
        int running = 0, threads = 0;
        int at = 0;
        while (MemoryMarshal.TryRead(list[at..], out ProcessEntry process))
        {
            if (process.ProcessId != IdleProcessId)
            {
                string name = NameOf(process, list, address);
                ReadOnlySpan<ThreadEntry> itsThreads = ThreadsOf(process, list[at..]);
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

            // Only ever forwards, so a list that points into itself ends too.
            if (process.NextOffset < Unsafe.SizeOf<ProcessEntry>() || process.NextOffset > list.Length - at)
            {
                break;
            }

            at += (int)process.NextOffset;
        }

        // The thread that asks is running: if none is, this Windows does not report states.
        if ((parts & SystemCpuParts.RunQueue) != 0 && threads > 0)
        {
            sample.RunQueue = new RunQueueState(running > 0 ? running : null, blocked: null, threads);
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

            // The most awake of its threads speaks for the process: R before S before T before X, as the alphabet has it.
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

    // What began before the clock did, the system itself, began at 0.
    private long StartOf(long created) => created > bootUnits ? FileTime.ToNanoseconds((ulong)(created - bootUnits)) : 0;

    private static long? SizeOf(long bytes) => bytes > 0 ? bytes : null;

    private static CpuUsage UsageOf(long user, long kernel) =>
        new(FileTime.ToNanoseconds((ulong)Math.Max(user, 0)), FileTime.ToNanoseconds((ulong)Math.Max(kernel, 0)));

    private string NameOf(in ProcessEntry process, ReadOnlySpan<byte> list, ulong address)
    {
        ulong offset = process.NameAddress - address; // what lies before the list is beyond it
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
