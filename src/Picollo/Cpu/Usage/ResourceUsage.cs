using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;
using Picollo.Cpu.Linux;
using Picollo.Cpu.MacOS;

namespace Picollo.Cpu;

/// <summary>What a thread or process has used besides CPU time: its peak memory, its page faults, its block operations and its context
/// switches. A reading, or the difference or sum of two. Linux; macOS for processes.</summary>
/// <remarks>
/// <para>Counts are since the thread or process began and never go back; a difference may be negative if it is taken the wrong way
/// round. All counts of a reading come from one call. Immutable and thread-safe. Reading is one system call (two for a thread), which for
/// a process takes the longer the more threads it has, and allocates nothing.</para>
/// <para><b>Source.</b> <c>getrusage(2)</c>. The fields of <c>struct rusage</c> that are not here (<c>ru_ixrss</c>, <c>ru_idrss</c>,
/// <c>ru_isrss</c>, <c>ru_nswap</c>, <c>ru_msgsnd</c>, <c>ru_msgrcv</c>) are always 0 on Linux.</para>
/// <para><b>macOS</b> counts as voluntary only what waits in the BSD part of its kernel, and all other switches, waits for a
/// lock among them, as involuntary: there only their sum is meaningful.</para>
/// <example>
/// <code>
/// ResourceUsage onStart = ResourceUsage.GetByThread();
/// Work();
/// ResourceUsage taken = ResourceUsage.GetByThread() - onStart;
/// Console.WriteLine($"{taken.VoluntaryContextSwitches} waits, {taken.MinorPageFaults} first touches of a page");
/// </code>
/// </example>
/// </remarks>
public readonly record struct ResourceUsage
{
    private const double BytesPerMebibyte = 1 << 20;

    /// <summary>CPU time, user and kernel apart: the reading that <see cref="CpuUsageReader"/> gives of the same thread or
    /// processes.</summary>
    public CpuUsage Cpu { get; internal init; }

    /// <summary>The largest resident size so far, in bytes: a high-water mark, not a count. In a difference it is the later
    /// reading's.</summary>
    /// <remarks>
    /// <para>Of the process, also where a thread is asked. Of children, that of the largest one (or of the largest of their own
    /// children), not a sum.</para>
    /// <para>Linux counts from before <c>execve(2)</c> on: a process starts with the mark of the one that it was forked from, so a child
    /// that this process started never shows less than this process had itself by then. What a child's own program had at most, while
    /// it runs, is <c>VmHWM</c> in <c>/proc/&lt;pid&gt;/status</c>. Since Linux 6.2 either may be off by some tens of pages per CPU.</para>
    /// </remarks>
    public long MaxResidentBytes { get; internal init; }

    /// <summary>Page faults that needed no input: first touches of a page, copies on write, pages found in the page cache. A huge page
    /// is one.</summary>
    public long MinorPageFaults { get; internal init; }

    /// <summary>Page faults that had to wait for a disk or for swap.</summary>
    public long MajorPageFaults { get; internal init; }

    /// <summary>Input that file systems had to do: <c>ru_inblock</c>. What the page cache already had is not counted.</summary>
    /// <remarks>Linux counts in units of 512 bytes, however many requests these take, and 0 in a kernel that was built without
    /// <c>CONFIG_TASK_IO_ACCOUNTING</c> (<c>include/linux/task_io_accounting_ops.h</c>). macOS counts operations.</remarks>
    public long BlockInputOperations { get; internal init; }

    /// <summary>Output that file systems had to do: <c>ru_oublock</c>.</summary>
    /// <remarks>In the units of <see cref="BlockInputOperations"/>. Linux counts a write when the page cache receives it, for the thread
    /// that writes, and not when the kernel writes it to the disk. A file system that has no disk, such as <c>tmpfs</c>, counts
    /// nothing.</remarks>
    public long BlockOutputOperations { get; internal init; }

    /// <summary>Signals received: <c>ru_nsignals</c>. Always 0 on Linux, whose kernel does not maintain the field
    /// (<c>getrusage(2)</c>).</summary>
    public long ReceivedSignals { get; internal init; }

    /// <summary>How often the thread or process gave up the CPU to wait: for a lock, input, a timer.</summary>
    public long VoluntaryContextSwitches { get; internal init; }

    /// <summary>How often the CPU was taken away: a time slice was over, or something of higher priority came.</summary>
    public long InvoluntaryContextSwitches { get; internal init; }

    /// <summary>What the current thread has taken; <see cref="MaxResidentBytes"/> is the process's. Linux. Use it for faults and context
    /// switches, and <see cref="CpuUsageReader"/> for CPU time alone.</summary>
    /// <returns>Since the thread began.</returns>
    /// <exception cref="MeasurementUnavailableException">This system does not report it.</exception>
    public static ResourceUsage GetByThread() => TryGetByThread(out ResourceUsage usage, out string? reason) ? usage : Throw(reason);

    /// <summary>As <see cref="GetByThread"/>, but returns the reason instead of throwing.</summary>
    /// <param name="usage">Since the thread began; 0 if it is unavailable.</param>
    /// <param name="reason">Null if it is known; otherwise why it is not.</param>
    /// <returns>True if it is known.</returns>
    public static bool TryGetByThread(out ResourceUsage usage, [NotNullWhen(false)] out string? reason) =>
        TryGet(ResourceOwner.Thread, out usage, out reason);

    /// <summary>What this process has taken, all its threads. Linux and macOS.</summary>
    /// <returns>Since the process began, with threads that have ended and without its children.</returns>
    /// <exception cref="MeasurementUnavailableException">This system does not report it.</exception>
    public static ResourceUsage GetByProcess() => TryGetByProcess(out ResourceUsage usage, out string? reason) ? usage : Throw(reason);

    /// <summary>As <see cref="GetByProcess"/>, but returns the reason instead of throwing.</summary>
    /// <param name="usage">Since the process began; 0 if it is unavailable.</param>
    /// <param name="reason">Null if it is known; otherwise why it is not.</param>
    /// <inheritdoc cref="TryGetByThread" path="/returns"/>
    public static bool TryGetByProcess(out ResourceUsage usage, [NotNullWhen(false)] out string? reason) =>
        TryGet(ResourceOwner.Process, out usage, out reason);

    /// <summary>What this process's children have taken that have ended and have been waited for (.NET waits for those that
    /// <see cref="System.Diagnostics.Process"/> started), and their children in turn. Linux and macOS.</summary>
    /// <returns>Since the process began.</returns>
    /// <exception cref="MeasurementUnavailableException">This system does not report it.</exception>
    public static ResourceUsage GetByChildren() => TryGetByChildren(out ResourceUsage usage, out string? reason) ? usage : Throw(reason);

    /// <summary>As <see cref="GetByChildren"/>, but returns the reason instead of throwing.</summary>
    /// <inheritdoc cref="TryGetByProcess" path="/param|/returns"/>
    public static bool TryGetByChildren(out ResourceUsage usage, [NotNullWhen(false)] out string? reason) =>
        TryGet(ResourceOwner.Children, out usage, out reason);

    /// <summary>What was taken between two readings of the same thread or process. <see cref="MaxResidentBytes"/> is the later one's:
    /// a high-water mark has no difference.</summary>
    /// <param name="end">The later reading.</param>
    /// <param name="start">The earlier reading.</param>
    public static ResourceUsage operator -(ResourceUsage end, ResourceUsage start) => new()
    {
        Cpu = end.Cpu - start.Cpu,
        MaxResidentBytes = end.MaxResidentBytes,
        MinorPageFaults = end.MinorPageFaults - start.MinorPageFaults,
        MajorPageFaults = end.MajorPageFaults - start.MajorPageFaults,
        BlockInputOperations = end.BlockInputOperations - start.BlockInputOperations,
        BlockOutputOperations = end.BlockOutputOperations - start.BlockOutputOperations,
        ReceivedSignals = end.ReceivedSignals - start.ReceivedSignals,
        VoluntaryContextSwitches = end.VoluntaryContextSwitches - start.VoluntaryContextSwitches,
        InvoluntaryContextSwitches = end.InvoluntaryContextSwitches - start.InvoluntaryContextSwitches,
    };

    /// <summary>What two threads or processes have taken together, or one in two stretches of time. <see cref="MaxResidentBytes"/> is the
    /// larger one's: high-water marks have no sum.</summary>
    /// <param name="left">One amount.</param>
    /// <param name="right">The other amount.</param>
    public static ResourceUsage operator +(ResourceUsage left, ResourceUsage right) => new()
    {
        Cpu = left.Cpu + right.Cpu,
        MaxResidentBytes = Math.Max(left.MaxResidentBytes, right.MaxResidentBytes),
        MinorPageFaults = left.MinorPageFaults + right.MinorPageFaults,
        MajorPageFaults = left.MajorPageFaults + right.MajorPageFaults,
        BlockInputOperations = left.BlockInputOperations + right.BlockInputOperations,
        BlockOutputOperations = left.BlockOutputOperations + right.BlockOutputOperations,
        ReceivedSignals = left.ReceivedSignals + right.ReceivedSignals,
        VoluntaryContextSwitches = left.VoluntaryContextSwitches + right.VoluntaryContextSwitches,
        InvoluntaryContextSwitches = left.InvoluntaryContextSwitches + right.InvoluntaryContextSwitches,
    };

    /// <summary>All of it in words; culture-invariant.</summary>
    /// <returns>For example <c>12.345 ms (user 12.001 ms, kernel 0.344 ms), at most 84.2 MiB resident, page faults 120 minor and 0 major,
    /// block operations 8 input and 16 output, signals 0, context switches 51 voluntary and 3 involuntary</c>.</returns>
    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture,
        $"{Cpu}, at most {MaxResidentBytes / BytesPerMebibyte:0.0} MiB resident, "
        + $"page faults {MinorPageFaults} minor and {MajorPageFaults} major, "
        + $"block operations {BlockInputOperations} input and {BlockOutputOperations} output, signals {ReceivedSignals}, "
        + $"context switches {VoluntaryContextSwitches} voluntary and {InvoluntaryContextSwitches} involuntary");

    // The JIT leaves one of the branches.
    private static bool TryGet(ResourceOwner owner, out ResourceUsage usage, [NotNullWhen(false)] out string? reason)
    {
        if (OperatingSystem.IsLinux())
        {
            return LinuxResourceUsage.TryGet(owner, out usage, out reason);
        }

        if (OperatingSystem.IsMacOS())
        {
            return MacResourceUsage.TryGet(owner, out usage, out reason);
        }

        usage = default;
        reason = OperatingSystem.IsWindows()
            ? "Windows tells neither voluntary from involuntary context switches nor minor from major page faults: "
                + "CpuUsage.GetByThread() and CpuUsage.GetByProcess() tell the CPU time there, "
                + "System.Diagnostics.Process.PeakWorkingSet64 the largest resident size."
            : "Page faults, context switches and resident size are read on Linux and macOS only; "
                + $"this is {RuntimeInformation.OSDescription}.";
        return false;
    }

    private static ResourceUsage Throw(string reason) => throw new MeasurementUnavailableException(reason);
}
