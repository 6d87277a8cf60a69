using Picollo.Interop.MacOS;

namespace Picollo.Cpu.MacOS;

/// <summary>Reads processes and their threads with <c>libproc</c>. Only root can read the processes of other users.</summary>
/// <param name="bootUnixNanoseconds">The Unix time at which the clock of the timestamps was 0, in nanoseconds.</param>
[SupportedOSPlatform("macos")]
internal sealed unsafe class MacTasks(long bootUnixNanoseconds)
{
    private const string NoProcesses = "macOS refused proc_listallpids.";
    private const string Hidden = "macOS reports the processes of other users only to root. Run as root to see all processes.";
    private const string NoThreads = "macOS refused proc_pidinfo(PROC_PIDLISTTHREADIDS).";

    private readonly TaskNames _names = new();
    private readonly MachTimebase _timebase = MachTimebase.Read();
    private int[] _processIds = new int[1024];
    private ulong[] _threadIds = new ulong[256];

    public void Read(SystemCpuSample sample, SystemCpuParts parts)
    {
        int count = ListProcesses();
        if (count <= 0)
        {
            sample.SetUnavailableReason(SystemCpuParts.Processes | SystemCpuParts.Threads | SystemCpuParts.Owners, NoProcesses);
            return;
        }

        foreach (int id in _processIds.AsSpan(0, count))
        {
            ProcessInfo info = default;
            int size = LibSystem.proc_pidinfo(id, LibSystem.PROC_PIDTASKALLINFO, 0, &info, sizeof(ProcessInfo));
            if (size == sizeof(ProcessInfo))
            {
                Add(sample, parts, id, info);
            }
            else if (Marshal.GetLastPInvokeError() == LibSystem.EPERM)
            {
                sample.SetUnavailableReason(SystemCpuParts.Processes | SystemCpuParts.Threads, Hidden);
            }
        }
    }

    private void Add(SystemCpuSample sample, SystemCpuParts parts, int id, ProcessInfo info)
    {
        string name = NameOf(info.Name, 32) is { Length: > 0 } full ? full : NameOf(info.ShortName, 16);
        long start = Math.Max(info.StartUnixNanoseconds - bootUnixNanoseconds, 0);
        if ((parts & SystemCpuParts.Processes) != 0)
        {
            var shown = new ProcessCpu
            {
                Id = id,
                StartNanoseconds = start,
                Name = name,
                State = info.State,
                Nice = info.Nice,
                Priority = info.Priority,
                Usage = new CpuUsage(_timebase.ToNanoseconds(info.User), _timebase.ToNanoseconds(info.Kernel)),
                ThreadCount = info.ThreadCount,
                VirtualBytes = (parts & SystemCpuParts.Memory) == 0 ? null : SizeOf(info.VirtualBytes),
                ResidentBytes = (parts & SystemCpuParts.Memory) == 0 ? null : SizeOf(info.ResidentBytes),
                UserId = (parts & SystemCpuParts.Owners) == 0 ? null : info.UserId,
            };
            sample.Processes.Add(id, new TaskSample { Id = id, Shown = shown });
        }

        if ((parts & SystemCpuParts.Threads) != 0)
        {
            AddThreads(sample, id, name, start);
        }
    }

    // macOS does not report the start of a thread. Thread IDs are never reused, so the start of the process is sufficient. A new thread has
    // no share at first.
    private void AddThreads(SystemCpuSample sample, int processId, string processName, long start)
    {
        int count = ListThreads(processId);
        if (count <= 0 && processId == Environment.ProcessId)
        {
            sample.SetUnavailableReason(SystemCpuParts.Threads, NoThreads);
        }

        for (int i = 0; i < count; i++)
        {
            long id = (long)_threadIds[i];
            ProcessThreadInfo info = default;
            if (LibSystem.proc_pidinfo(processId, LibSystem.PROC_PIDTHREADID64INFO, (ulong)id, &info, sizeof(ProcessThreadInfo))
                != sizeof(ProcessThreadInfo))
            {
                continue;
            }

            var shown = new ProcessCpu
            {
                Id = processId,
                StartNanoseconds = start,
                Name = NameOf(info.Name, 64) is { Length: > 0 } own ? own : processName,
                State = info.State,
                Priority = info.CurrentPriority,
                Usage = new CpuUsage((long)info.UserNanoseconds, (long)info.KernelNanoseconds),
            };
            sample.Threads.Add(id, new TaskSample { Id = id, Shown = shown });
        }
    }

    private static long SizeOf(ulong bytes) => (long)Math.Min(bytes, long.MaxValue);

    private int ListProcesses()
    {
        int count;
        while (true)
        {
            fixed (int* ids = _processIds)
            {
                count = LibSystem.proc_listallpids(ids, _processIds.Length * sizeof(int));
            }

            // If the buffer is full, some IDs may be missing.
            if (count < _processIds.Length)
            {
                return count;
            }

            Array.Resize(ref _processIds, 2 * _processIds.Length);
        }
    }

    private int ListThreads(int processId)
    {
        while (true)
        {
            int count;
            fixed (ulong* ids = _threadIds)
            {
                count = LibSystem.proc_pidinfo(processId, LibSystem.PROC_PIDLISTTHREADIDS, 0, ids, _threadIds.Length * sizeof(ulong))
                    / sizeof(ulong);
            }

            if (count < _threadIds.Length)
            {
                return count;
            }

            Array.Resize(ref _threadIds, 2 * _threadIds.Length);
        }
    }

    private string NameOf(byte* name, int size)
    {
        ReadOnlySpan<byte> text = new(name, size);
        int end = text.IndexOf((byte)0);
        return _names.Get(end < 0 ? text : text[..end]);
    }
}
