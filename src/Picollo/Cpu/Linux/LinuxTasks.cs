using System.Buffers.Text;
using Picollo.Interop.Linux;

namespace Picollo.Cpu.Linux;

/// <summary>Reads the processes and threads in a /proc. No file remains open between samples.</summary>
/// <remarks>
/// <para>Shares come from nanoseconds where the kernel provides them: the CPU clock of each process (clock_getcpuclockid(3);
/// /proc/&lt;pid&gt;/schedstat covers only the main thread), and the first number of each thread's schedstat
/// (Documentation/scheduler/sched-stats.rst of the kernel). User and kernel time in stat are the same sum, split, and each truncated to 10
/// ms. Over a second, the error is up to two percent of a CPU, and the sum of the threads differs from the value of their process.</para>
/// <para>Measured on 2026-11-21 (.NET 10, Zen 5, virtual machine, Linux 6.18): the clocks add 0.3 µs to 5.5 µs per process, schedstat adds
/// 1.7 µs to 2.7 µs per thread. Over 250 ms, the threads of a process that used 0.4 CPUs added up to its share within 0.02, usually within
/// 0.001; with ticks, within 0.07. Neither includes the time since the last scheduler tick (1 to 10 ms).</para>
/// <para>Measured on the same machine on 2026-11-22, with 300 sleeping processes in addition to its 90 (minimum of 40 rounds, while other
/// programs ran on both CPUs): statm adds 2.2 µs to 5.0 µs per process, the owner 0.4, waits 3.7 (1.3 threads per process; nothing if
/// threads are read anyway). statm has the sizes that top shows; fields 23 and 24 of stat have only the first two.</para>
/// </remarks>
internal sealed class LinuxTasks(string procPath)
{
    private const int PathLength = 64; // "<pid>/task/<tid>/schedstat"
    private const int EntriesLength = 32 * 1024;

    // prctl(PR_SET_MM_MAP) can give a process a command line of any length.
    private const int CommandLineLimit = 64 * 1024;

    private const SystemCpuParts OfTasks =
        SystemCpuParts.Processes | SystemCpuParts.Threads | SystemCpuParts.Owners | SystemCpuParts.Waits;

    private readonly byte[] _openPath = Encoding.UTF8.GetBytes(procPath + '\0');
    private readonly bool _hasProcessClocks = OwnIdIn(procPath) == Environment.ProcessId;
    private readonly TaskNames _names = new();
    private readonly byte[] _processEntries = new byte[EntriesLength];
    private readonly byte[] _threadEntries = new byte[EntriesLength];

    /// <summary>Adds the requested parts, and the reasons for missing ones.</summary>
    public void Read(SystemCpuSample sample, SystemCpuParts parts)
    {
        string? reason = ReadAll(sample, parts);
        if (reason is not null)
        {
            sample.SetUnavailableReason(OfTasks, reason);
        }
        else if ((parts & SystemCpuParts.Waits) != 0 && sample.Waits.Count == 0)
        {
            sample.SetUnavailableReason(SystemCpuParts.Waits, LinuxReasons.NoWaits);
        }
    }

    public string[]? GetCommandLine(int process)
    {
        byte[] text = new byte[1024];
        byte[] path = Encoding.UTF8.GetBytes($"{procPath}/{process}/cmdline\0");
        return LinuxFiles.TryReadAll(path, ref text, out ReadOnlySpan<byte> words, CommandLineLimit) ? ParseCommandLine(words) : null;
    }

    /// <summary>Parses /proc/&lt;pid&gt;/cmdline (proc_pid_cmdline(5)), in which a zero follows each argument. A program that overwrites
    /// its arguments may omit the last zero, or add more.</summary>
    internal static string[] ParseCommandLine(ReadOnlySpan<byte> text) =>
        text.IsEmpty ? [] : Encoding.UTF8.GetString(text[^1] == 0 ? text[..^1] : text).Split('\0');

    /// <summary>Adds the threads of one process; none if it has ended.</summary>
    public void ReadThreadsOf(int process, SystemCpuSample sample)
    {
        int proc = LinuxFiles.Open(LibC.AT_FDCWD, _openPath);
        if (proc >= 0)
        {
            _ = ReadProcess(proc, process, sample, SystemCpuParts.Threads);
            LinuxFiles.Close(proc);
        }
    }

    /// <summary>Returns the ID of this process in a /proc; null if it cannot be read. A /proc that was mounted in another PID namespace has
    /// other IDs than this process and the CPU clocks use.</summary>
    public static int? OwnIdIn(string procPath)
    {
        Span<byte> text = stackalloc byte[ProcTaskStat.MaxLength];
        int length = LinuxFiles.ReadOnce(LibC.AT_FDCWD, Encoding.UTF8.GetBytes(procPath + "/self/stat\0"), text);
        return length > 0 && Utf8Parser.TryParse(text[..length], out int id, out _) ? id : null;
    }

    private string? ReadAll(SystemCpuSample sample, SystemCpuParts parts)
    {
        int proc = LinuxFiles.Open(LibC.AT_FDCWD, _openPath);
        if (proc < 0)
        {
            return LinuxFiles.ReadFailureReason(LinuxReasons.NoProc);
        }

        // Every PID namespace has a process 1. If it is hidden, other processes are hidden too.
        bool isFirstSeen = false;
        string? reason = null;
        int length;
        while ((length = LinuxFiles.ReadDirectory(proc, _processEntries)) > 0)
        {
            var entries = new DirectoryEntries(_processEntries.AsSpan(0, length));
            while (entries.MoveNext())
            {
                if (TryParseId(entries.Name, out int process))
                {
                    isFirstSeen |= process == 1;
                    reason = ReadProcess(proc, process, sample, parts) ?? reason;
                }
            }
        }

        LinuxFiles.Close(proc);
        return length < 0 ? LinuxReasons.NoListing
            : reason ?? (isFirstSeen ? null : LinuxReasons.Hidden);
    }

    /// <summary>Reads a process. Returns the reason why the process or one of its threads is missing, or null. An ended process or thread
    /// is not an error.</summary>
    private string? ReadProcess(int proc, int process, SystemCpuSample sample, SystemCpuParts parts)
    {
        Span<byte> text = stackalloc byte[ProcTaskStat.MaxLength];
        var path = new PathBuffer(stackalloc byte[PathLength]);
        path.Append(process);
        PathBuffer statPath = path;
        statPath.Append("/stat"u8);
        if (!ProcTaskStat.TryRead(statPath.Terminated, text, out ProcTaskStat stat, proc))
        {
            return GetMissingReason();
        }

        bool isRequested = (parts & SystemCpuParts.Processes) != 0;
        long? precise = isRequested && _hasProcessClocks && LinuxCpuTimes.TryGetClock(LinuxCpuTimes.ProcessClock(process), out long clock)
            ? clock
            : null;
        int firstWait = sample.Waits.Count;
        string? reason = (parts & (SystemCpuParts.Threads | SystemCpuParts.Waits)) == 0
            ? null
            : ReadThreads(proc, path, process, stat.ThreadCount, sample, parts);
        if (isRequested)
        {
            TaskSample task = ToSample(stat, process, process, precise);
            sample.Processes.Add(process, task with
            {
                Shown = WithDetails(task.Shown, proc, path, sample, parts),
                FirstWait = firstWait,
                WaitCount = reason is null ? sample.Waits.Count - firstWait : 0,
            });
        }

        return reason;
    }

    /// <summary>Adds the sizes and the owner, if requested.</summary>
    private static ProcessCpu WithDetails(ProcessCpu process, int proc, PathBuffer path, SystemCpuSample sample, SystemCpuParts parts)
    {
        if ((parts & SystemCpuParts.Owners) != 0)
        {
            process = process with { UserId = LinuxFiles.TryGetOwner(proc, path.Terminated) };
            if (process.UserId is null && !LinuxFiles.IsLastAbsent)
            {
                sample.SetUnavailableReason(SystemCpuParts.Owners, LinuxReasons.NoOwners);
            }
        }

        if ((parts & SystemCpuParts.Memory) != 0)
        {
            Span<byte> text = stackalloc byte[ProcMemory.StatmMaxLength];
            path.Append("/statm"u8);
            int length = LinuxFiles.ReadOnce(proc, path.Terminated, text);
            if (ProcMemory.TryParseStatm(length > 0 ? text[..length] : [], out long size, out long resident, out long shared))
            {
                process = process with
                {
                    VirtualBytes = TextFields.Scale(size, Environment.SystemPageSize),
                    ResidentBytes = TextFields.Scale(resident, Environment.SystemPageSize),
                    SharedBytes = TextFields.Scale(shared, Environment.SystemPageSize),
                };
            }
        }

        return process;
    }

    /// <summary>Returns null if the process or thread has ended, or if its file was read and is malformed.</summary>
    private static string? GetMissingReason() => LinuxFiles.IsLastRefused ? LinuxReasons.Hidden : LinuxFiles.ReadFailureReason(null);

    private string? ReadThreads(int proc, PathBuffer path, int process, int count, SystemCpuSample sample, SystemCpuParts parts)
    {
        if (count == 1)
        {
            // The schedstat of a process is that of its main thread. Its stat is also that of the main thread, except that the times
            // include ended threads.
            var onlyPath = new PathBuffer(stackalloc byte[PathLength]);
            if ((parts & SystemCpuParts.Threads) != 0)
            {
                onlyPath.Append(process);
                onlyPath.Append("/task/"u8);
            }

            return ReadThread(proc, onlyPath, process, process, sample, parts);
        }

        path.Append("/task"u8);
        int directory = LinuxFiles.Open(proc, path.Terminated);
        if (directory < 0)
        {
            return GetMissingReason();
        }

        var threadPath = new PathBuffer(stackalloc byte[PathLength]);
        string? reason = null;
        int length;
        while ((length = LinuxFiles.ReadDirectory(directory, _threadEntries)) > 0)
        {
            var entries = new DirectoryEntries(_threadEntries.AsSpan(0, length));
            while (entries.MoveNext())
            {
                if (TryParseId(entries.Name, out int thread))
                {
                    reason = ReadThread(directory, threadPath, process, thread, sample, parts) ?? reason;
                }
            }
        }

        LinuxFiles.Close(directory);
        return reason;
    }

    private string? ReadThread(int directory, PathBuffer path, int process, int thread, SystemCpuSample sample, SystemCpuParts parts)
    {
        path.Append(thread);
        if ((parts & SystemCpuParts.Threads) == 0)
        {
            return ReadSchedStat(directory, path, thread, sample, parts, out _);
        }

        Span<byte> text = stackalloc byte[ProcTaskStat.MaxLength];
        PathBuffer statPath = path;
        statPath.Append("/stat"u8);
        if (!ProcTaskStat.TryRead(statPath.Terminated, text, out ProcTaskStat stat, directory))
        {
            return GetMissingReason();
        }

        string? reason = ReadSchedStat(directory, path, thread, sample, parts, out long? precise);
        sample.Threads.Add(thread, ToSample(stat, process, thread, precise));
        return reason;
    }

    /// <summary>Reads the nanoseconds that a thread ran, and adds its wait time if requested.</summary>
    private static string? ReadSchedStat(
        int directory, PathBuffer path, int thread, SystemCpuSample sample, SystemCpuParts parts, out long? runNanoseconds)
    {
        Span<byte> text = stackalloc byte[ProcSchedStat.MaxLength];
        path.Append("/schedstat"u8);
        int length = LinuxFiles.ReadOnce(directory, path.Terminated, text);
        bool isRead = ProcSchedStat.TryParse(length > 0 ? text[..length] : [], out ProcSchedStat stat);
        runNanoseconds = isRead ? stat.RunNanoseconds : null;
        if ((parts & SystemCpuParts.Waits) == 0)
        {
            return null;
        }

        if (stat.Runs > 0)
        {
            sample.Waits.Add(thread, new ThreadWait(thread, stat.WaitNanoseconds, stat.Runs));
        }

        return length < 0 ? GetMissingReason() : null;
    }

    private TaskSample ToSample(in ProcTaskStat stat, int process, int id, long? preciseNanoseconds) => new()
    {
        Id = id,
        Shown = new ProcessCpu
        {
            Id = process,
            StartNanoseconds = stat.LatestStartNanoseconds,
            Name = _names.Get(stat.Name),
            State = stat.State,
            Nice = stat.Nice,
            Priority = stat.Priority,
            Usage = stat.Usage,
            ThreadCount = stat.ThreadCount,
            LastCpu = stat.LastCpu,
        },
        // This value is read later and not truncated, so it is at least the time in ticks, except that a kernel without these statistics
        // reports 0.
        PreciseNanoseconds = preciseNanoseconds >= stat.Usage.TotalNanoseconds ? preciseNanoseconds : null,
    };

    private static bool TryParseId(ReadOnlySpan<byte> name, out int id) =>
        Utf8Parser.TryParse(name, out id, out int length) && length == name.Length && id > 0;
}
