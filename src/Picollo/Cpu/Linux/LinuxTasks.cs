using System.Buffers.Text;

namespace Picollo.Cpu.Linux;

/// <summary>Reads the processes and threads in a /proc.</summary>
/// <remarks>
/// <para>Ids that end while they are read are not in the list. Nothing is kept open between samples.</para>
/// </remarks>
internal sealed class LinuxTasks(byte[] procPath)
{
    // A stat file has 52 numbers and a name: a kilobyte at most.
    private const int StatLength = 2048;
    private const int PathLength = 64; // "<pid>/task/<tid>/schedstat"

    private readonly TaskNames _names = new();
    private readonly byte[] _processEntries = new byte[32 * 1024];
    private readonly byte[] _threadEntries = new byte[32 * 1024];

    /// <summary>Adds what is asked for. Returns a problem that is the machine's, or null.</summary>
    public string? Read(SystemCpuSample sample, bool wantsProcesses, bool wantsThreads)
    {
        int directory = LinuxFiles.Open(LibC.AtCurrentDirectory, procPath);
        if (directory < 0)
        {
            return LinuxReasons.NoProc;
        }

        bool isFirstSeen = false;
        bool isRefused = false;
        int length;
        while ((length = LinuxFiles.ReadDirectory(directory, _processEntries)) > 0)
        {
            var entries = new DirectoryEntries(_processEntries.AsSpan(0, length));
            while (entries.MoveNext())
            {
                if (TryParseId(entries.Name, out int process))
                {
                    isFirstSeen |= process == 1;
                    isRefused |= !TryReadProcess(directory, process, sample, wantsProcesses, wantsThreads);
                }
            }
        }

        LinuxFiles.Close(directory);
        return length < 0 ? LinuxReasons.NoListing
            : isFirstSeen && !isRefused ? null
            : LinuxReasons.Hidden;
    }

    /// <summary>False if reading was refused; a process that has ended is none.</summary>
    private bool TryReadProcess(int proc, int process, SystemCpuSample sample, bool wantsProcess, bool wantsThreads)
    {
        Span<byte> text = stackalloc byte[StatLength];
        var path = new PathBuffer(stackalloc byte[PathLength]);
        path.Append(process);
        path.Append("/stat"u8);
        int length = LinuxFiles.ReadOnce(proc, path.Terminated, text);
        if (length < 0)
        {
            return !LinuxFiles.IsLastRefused;
        }

        if (!ProcTaskStat.TryParse(text[..length], out ProcTaskStat stat))
        {
            return true;
        }

        if (wantsProcess)
        {
            sample.Processes.Add(ToSample(stat, process, process, null));
        }

        if (wantsThreads)
        {
            if (stat.ThreadCount == 1)
            {
                // The process's own times have those of its ended threads in them: not this thread's.
                ReadThread(proc, process, process, sample);
            }
            else
            {
                ReadThreads(proc, process, sample);
            }
        }

        return true;
    }

    private void ReadThreads(int proc, int process, SystemCpuSample sample)
    {
        var path = new PathBuffer(stackalloc byte[PathLength]);
        path.Append(process);
        path.Append("/task"u8);
        int directory = LinuxFiles.Open(proc, path.Terminated);
        if (directory < 0)
        {
            return;
        }

        int length;
        while ((length = LinuxFiles.ReadDirectory(directory, _threadEntries)) > 0)
        {
            var entries = new DirectoryEntries(_threadEntries.AsSpan(0, length));
            while (entries.MoveNext())
            {
                if (TryParseId(entries.Name, out int thread))
                {
                    ReadThread(proc, process, thread, sample);
                }
            }
        }

        LinuxFiles.Close(directory);
    }

    private void ReadThread(int proc, int process, int thread, SystemCpuSample sample)
    {
        Span<byte> text = stackalloc byte[StatLength];
        var path = new PathBuffer(stackalloc byte[PathLength]);
        path.Append(process);
        path.Append("/task/"u8);
        path.Append(thread);
        path.Append("/stat"u8);
        int length = LinuxFiles.ReadOnce(proc, path.Terminated, text);
        if (length > 0 && ProcTaskStat.TryParse(text[..length], out ProcTaskStat stat))
        {
            sample.Threads.Add(ToSample(stat, process, thread, null));
        }
    }

    private TaskSample ToSample(in ProcTaskStat stat, int process, int id, long? precise) => new()
    {
        Id = id,
        ProcessId = process,
        StartNanoseconds = TextFields.Scale(stat.StartTicks, ProcStat.NanosecondsPerTick) is var start and <= long.MaxValue - ProcStat.NanosecondsPerTick
            ? start + ProcStat.NanosecondsPerTick - 1
            : long.MaxValue,
        Name = _names.Get(stat.Name),
        State = stat.State,
        Nice = stat.Nice,
        Priority = stat.Priority,
        Usage = stat.Usage,
        PreciseNanoseconds = precise,
        ThreadCount = stat.ThreadCount,
        LastCpu = stat.LastCpu,
    };

    private static bool TryParseId(ReadOnlySpan<byte> name, out int id) =>
        Utf8Parser.TryParse(name, out id, out int length) && length == name.Length && id > 0;
}
