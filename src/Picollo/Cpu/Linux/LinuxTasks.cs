using System.Buffers.Text;
using System.Text;

namespace Picollo.Cpu.Linux;

/// <summary>Reads the processes and threads in a /proc. Nothing is kept open between samples.</summary>
/// <remarks>
/// <para>
/// Shares come from nanoseconds where the kernel gives them: the CPU clock of each process (clock_getcpuclockid(3); not
/// /proc/&lt;pid&gt;/schedstat, which is of the main thread alone), and the first number of each thread's schedstat
/// (Documentation/scheduler/sched-stats.rst of the kernel). User and kernel time in stat are the same sum, split, and each cut to 10 ms:
/// over a second that is up to two percent of a CPU, and threads do not add up to their process.
/// </para>
/// <para>
/// Tried on 2026-11-21 (.NET 10, Zen 5, virtual machine, Linux 6.18): the clocks add 0.3 µs to the 5.5 µs that a process takes,
/// schedstat 1.7 µs to a thread's 2.7. Over 250 ms the threads of a process that took 0.4 CPUs added up to its share within
/// 0.02, most often within 0.001; with ticks within 0.07. What has run since the scheduler's last tick (1 to 10 ms) is in neither.
/// </para>
/// </remarks>
internal sealed class LinuxTasks
{
    private const int SchedStatLength = 128; // three numbers
    private const int PathLength = 64; // "<pid>/task/<tid>/schedstat"
    private const int EntriesLength = 32 * 1024;

    private readonly byte[] _procPath;
    private readonly bool _hasProcessClocks;
    private readonly TaskNames _names = new();
    private readonly byte[] _processEntries = new byte[EntriesLength];
    private readonly byte[] _threadEntries = new byte[EntriesLength];

    public LinuxTasks(string procPath)
    {
        _procPath = Encoding.UTF8.GetBytes(procPath + '\0');
        _hasProcessClocks = OwnIdIn(procPath) == Environment.ProcessId;
    }

    /// <summary>Adds what is asked for, and says what stood in the way.</summary>
    public void Read(SystemCpuSample sample, SystemCpuParts parts)
    {
        if (ReadAll(sample, parts) is { } problem)
        {
            sample.SetProblem(SystemCpuParts.Processes, problem);
            sample.SetProblem(SystemCpuParts.Threads, problem);
        }
    }

    /// <summary>Adds the threads of one process; none where it has ended.</summary>
    public void ReadThreadsOf(int process, SystemCpuSample sample)
    {
        int proc = LinuxFiles.Open(LibC.AtCurrentDirectory, _procPath);
        if (proc >= 0)
        {
            _ = ReadProcess(proc, process, sample, SystemCpuParts.Threads);
            LinuxFiles.Close(proc);
        }
    }

    /// <summary>The id by which a /proc goes for this process; null if it cannot be read. One that was mounted in another namespace of
    /// ids has others than this process knows, and than clocks go by, for its own and for all.</summary>
    public static int? OwnIdIn(string procPath)
    {
        Span<byte> text = stackalloc byte[ProcTaskStat.MaxLength];
        int length = LinuxFiles.ReadOnce(LibC.AtCurrentDirectory, Encoding.UTF8.GetBytes(procPath + "/self/stat\0"), text);
        return length > 0 && Utf8Parser.TryParse(text[..length], out int id, out _) ? id : null;
    }

    private string? ReadAll(SystemCpuSample sample, SystemCpuParts parts)
    {
        int proc = LinuxFiles.Open(LibC.AtCurrentDirectory, _procPath);
        if (proc < 0)
        {
            return LinuxFiles.WhyNotRead(LinuxReasons.NoProc);
        }

        // In every namespace of ids there is a process 1: where it is not seen, others are not either.
        bool isFirstSeen = false;
        string? problem = null;
        int length;
        while ((length = LinuxFiles.ReadDirectory(proc, _processEntries)) > 0)
        {
            var entries = new DirectoryEntries(_processEntries.AsSpan(0, length));
            while (entries.MoveNext())
            {
                if (TryParseId(entries.Name, out int process))
                {
                    isFirstSeen |= process == 1;
                    problem = ReadProcess(proc, process, sample, parts) ?? problem;
                }
            }
        }

        LinuxFiles.Close(proc);
        return length < 0 ? LinuxReasons.NoListing
            : problem ?? (isFirstSeen ? null : LinuxReasons.Hidden);
    }

    /// <summary>Null, or why it or one of its threads is missing; that it has ended is no such reason.</summary>
    private string? ReadProcess(int proc, int process, SystemCpuSample sample, SystemCpuParts parts)
    {
        Span<byte> text = stackalloc byte[ProcTaskStat.MaxLength];
        var path = new PathBuffer(stackalloc byte[PathLength]);
        path.Append(process);
        PathBuffer statPath = path;
        statPath.Append("/stat"u8);
        int length = LinuxFiles.ReadOnce(proc, statPath.Terminated, text);
        if (length < 0)
        {
            return WhyMissing();
        }

        if (!ProcTaskStat.TryParse(text[..length], out ProcTaskStat stat))
        {
            return null;
        }

        if ((parts & SystemCpuParts.Processes) != 0)
        {
            long? precise = _hasProcessClocks && LinuxCpuTimes.TryGetClock(LinuxCpuTimes.ProcessClock(process), out long clock) ? clock : null;
            sample.Processes.Add(ToSample(stat, process, process, precise));
        }

        if ((parts & SystemCpuParts.Threads) == 0)
        {
            return null;
        }

        path.Append("/task"u8);
        if (stat.ThreadCount != 1)
        {
            return ReadThreads(proc, path, process, sample);
        }

        // Its file has the same as the process's but for the times, in which ended threads are counted there.
        path.Append("/"u8);
        return ReadThread(proc, path, process, process, sample);
    }

    private static string? WhyMissing() => LinuxFiles.IsLastRefused ? LinuxReasons.Hidden : LinuxFiles.WhyNotRead(null);

    private string? ReadThreads(int proc, PathBuffer path, int process, SystemCpuSample sample)
    {
        int directory = LinuxFiles.Open(proc, path.Terminated);
        if (directory < 0)
        {
            return WhyMissing();
        }

        var threadPath = new PathBuffer(stackalloc byte[PathLength]);
        string? problem = null;
        int length;
        while ((length = LinuxFiles.ReadDirectory(directory, _threadEntries)) > 0)
        {
            var entries = new DirectoryEntries(_threadEntries.AsSpan(0, length));
            while (entries.MoveNext())
            {
                if (TryParseId(entries.Name, out int thread))
                {
                    problem = ReadThread(directory, threadPath, process, thread, sample) ?? problem;
                }
            }
        }

        LinuxFiles.Close(directory);
        return problem;
    }

    private string? ReadThread(int directory, PathBuffer path, int process, int thread, SystemCpuSample sample)
    {
        path.Append(thread);
        Span<byte> text = stackalloc byte[ProcTaskStat.MaxLength];
        PathBuffer statPath = path;
        statPath.Append("/stat"u8);
        int length = LinuxFiles.ReadOnce(directory, statPath.Terminated, text);
        if (length < 0)
        {
            return WhyMissing();
        }

        if (!ProcTaskStat.TryParse(text[..length], out ProcTaskStat stat))
        {
            return null;
        }

        Span<byte> schedStat = stackalloc byte[SchedStatLength];
        path.Append("/schedstat"u8);
        length = LinuxFiles.ReadOnce(directory, path.Terminated, schedStat);
        long? precise = length > 0 ? ProcTaskStat.ParseRunTime(schedStat[..length]) : null;
        sample.Threads.Add(ToSample(stat, process, thread, precise));
        return null;
    }

    private TaskSample ToSample(in ProcTaskStat stat, int process, int id, long? preciseNanoseconds) => new()
    {
        Id = id,
        ProcessId = process,
        StartNanoseconds = stat.LatestStartNanoseconds,
        Name = _names.Get(stat.Name),
        State = stat.State,
        Nice = stat.Nice,
        Priority = stat.Priority,
        Usage = stat.Usage,
        // Read later, and not cut: less than the ticks is no such time. A kernel without these statistics says 0.
        PreciseNanoseconds = preciseNanoseconds >= stat.Usage.TotalNanoseconds ? preciseNanoseconds : null,
        ThreadCount = stat.ThreadCount,
        LastCpu = stat.LastCpu,
    };

    private static bool TryParseId(ReadOnlySpan<byte> name, out int id) =>
        Utf8Parser.TryParse(name, out id, out int length) && length == name.Length && id > 0;
}
