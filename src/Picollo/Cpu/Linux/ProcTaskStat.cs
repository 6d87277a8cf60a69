using Picollo.Interop.Linux;

namespace Picollo.Cpu.Linux;

/// <summary>The fields of /proc/&lt;pid&gt;/stat and /proc/&lt;pid&gt;/task/&lt;tid&gt;/stat (proc_pid_stat(5)), unconverted.</summary>
internal ref struct ProcTaskStat
{
    /// <summary>The length of a buffer for the file, which has 52 numbers and a name: at most a kilobyte.</summary>
    public const int MaxLength = 2048;

    /// <summary>The name, which may contain any byte except zero, including spaces, parentheses and line breaks.</summary>
    public ReadOnlySpan<byte> Name;
    public char State;
    public int ParentId;
    public int ProcessGroup;

    /// <summary>The foreground process group of its terminal; -1 without a terminal.</summary>
    public int ForegroundGroup;
    public long UserTicks;
    public long KernelTicks;
    public int Priority;
    public int Nice;
    public int ThreadCount;

    /// <summary>The start time, measured from the system start.</summary>
    public long StartTicks;

    /// <summary>The CPU on which the task last ran; null if the text is truncated before this field, and on kernels before 2.2.8.</summary>
    public int? LastCpu;

    /// <summary>User and kernel time; their sum fits into a <see cref="long"/>.</summary>
    public readonly CpuUsage Usage => new(ToNanoseconds(UserTicks), ToNanoseconds(KernelTicks));

    /// <summary>The end of the tick in which the task started, measured from the system start.</summary>
    public readonly long LatestStartNanoseconds => TextFields.Scale(StartTicks, ProcStat.NanosecondsPerTick) is var start
        && start < long.MaxValue - ProcStat.NanosecondsPerTick ? start + ProcStat.NanosecondsPerTick - 1 : long.MaxValue;

    /// <summary>Reads the file of a process; false if it cannot be read or is malformed. <see cref="Name"/> refers to the buffer, which
    /// must have at least <see cref="MaxLength"/> bytes.</summary>
    public static bool TryRead(int processId, Span<byte> buffer, out ProcTaskStat stat)
    {
        var path = new PathBuffer(stackalloc byte[32]); // "/proc/<pid>/stat"
        path.Append("/proc/"u8);
        path.Append(processId);
        path.Append("/stat"u8);
        return TryRead(path.Terminated, buffer, out stat);
    }

    /// <summary>Reads the file with a path that ends with a zero; see <see cref="TryRead(int, Span{byte}, out ProcTaskStat)"/>.</summary>
    public static bool TryRead(
        scoped ReadOnlySpan<byte> path, Span<byte> buffer, out ProcTaskStat stat, int directory = LibC.AT_FDCWD)
    {
        int length = LinuxFiles.ReadOnce(directory, path, buffer);
        return TryParse(length > 0 ? buffer[..length] : [], out stat);
    }

    /// <summary>Parses the text; false if it is malformed before the end of the start time.</summary>
    public static bool TryParse(ReadOnlySpan<byte> text, out ProcTaskStat stat)
    {
        stat = default;
        // The name may contain ") R 1 (b". Only numbers follow the last parenthesis.
        int open = text.IndexOf((byte)'(');
        int close = text.LastIndexOf((byte)')');
        if (open < 0 || close < open)
        {
            return false;
        }

        stat.Name = text[(open + 1)..close];
        var fields = new TextFields(text[(close + 1)..]);

        // The comments are the field numbers of the manual page.
        if (!fields.TryNext(out ReadOnlySpan<byte> state) // 3
            || state.Length != 1
            || !char.IsAsciiLetter((char)state[0])
            || !fields.TryNextInt(out stat.ParentId) // 4
            || !fields.TryNextInt(out stat.ProcessGroup)
            || !fields.Skip(2)
            || !fields.TryNextInt(out stat.ForegroundGroup) // 8
            || !fields.Skip(5)
            || !fields.TryNextCount(out stat.UserTicks) // 14
            || !fields.TryNextCount(out stat.KernelTicks)
            || !fields.Skip(2)
            || !fields.TryNextInt(out stat.Priority) // 18
            || !fields.TryNextInt(out stat.Nice)
            || !fields.TryNextInt(out stat.ThreadCount)
            || !fields.Skip(1)
            || !fields.TryNextCount(out stat.StartTicks)) // 22
        {
            return false;
        }

        stat.State = (char)state[0];
        stat.LastCpu = fields.Skip(16) && fields.TryNextInt(out int cpu) && cpu >= 0 ? cpu : null; // 39
        return true;
    }

    private static long ToNanoseconds(long ticks) =>
        Math.Min(TextFields.Scale(ticks, ProcStat.NanosecondsPerTick), long.MaxValue / 2);
}

/// <summary>The three numbers of the schedstat of one thread (Documentation/scheduler/sched-stats.rst of the kernel).
/// /proc/&lt;pid&gt;/schedstat has those of the main thread.</summary>
/// <param name="RunNanoseconds">The time on a CPU.</param>
/// <param name="WaitNanoseconds">The time runnable but not on a CPU. The kernel adds a wait when it ends.</param>
/// <param name="Runs">The number of times the thread got a CPU: 0 for a thread that never ran, and for all threads if the kernel does not
/// keep these statistics (three zeros: sched_info_on() before Linux 5.14).</param>
internal readonly record struct ProcSchedStat(long RunNanoseconds, long WaitNanoseconds, long Runs)
{
    public const int MaxLength = 128;

    public static bool TryParse(ReadOnlySpan<byte> text, out ProcSchedStat stat)
    {
        var fields = new TextFields(text);
        bool known = fields.TryNextCount(out long run) & fields.TryNextCount(out long wait) & fields.TryNextCount(out long runs);
        stat = known ? new ProcSchedStat(run, wait, runs) : default;
        return known;
    }
}
