namespace Picollo.Cpu;

/// <summary>The resource usage of a thread or process in addition to CPU time: peak memory, page faults, block operations and context
/// switches. It is a reading, or the difference or sum of two. Available on Linux and, for processes, on macOS.</summary>
/// <remarks>
/// <para>Counts start at the start of the thread or process and never decrease; a difference may be negative if the operands are swapped.
/// All counts of a reading come from one call. Immutable and thread-safe. Reading takes one system call (two for a thread) and does not
/// allocate. For a process, the time of the call grows with the number of threads.</para>
/// <para><b>Source.</b> <c>getrusage(2)</c>. The other fields of <c>struct rusage</c> (<c>ru_ixrss</c>, <c>ru_idrss</c>, <c>ru_isrss</c>,
/// <c>ru_nswap</c>, <c>ru_msgsnd</c>, <c>ru_msgrcv</c>, <c>ru_nsignals</c>) are always 0 on Linux.</para>
/// <para><b>macOS</b> counts only waits in the BSD part of its kernel as voluntary, and all other switches as involuntary, including waits
/// for a lock. Only their sum is meaningful there.</para>
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

    /// <summary>The CPU time, split into user and kernel time: the value that <see cref="CpuUsageReader"/> returns for the same thread or
    /// processes.</summary>
    public CpuUsage Cpu { get; internal init; }

    /// <summary>The largest resident size so far, in bytes: a high-water mark, not a count. A difference has the value of the later
    /// reading.</summary>
    /// <remarks>
    /// <para>It is the value of the process, even in a reading of a thread. For children, it is the value of the largest child (or of the
    /// largest of their own children), not a sum.</para>
    /// <para>Linux also counts the time before <c>execve(2)</c>: a process starts with the high-water mark of the process that forked it.
    /// So a child of this process never reports less than the value of this process at that time. The maximum of the child's own program is
    /// <c>VmHWM</c> in <c>/proc/&lt;pid&gt;/status</c> while it runs. Since Linux 6.2, both may be off by tens of pages per CPU.</para>
    /// </remarks>
    public long MaxResidentBytes { get; internal init; }

    /// <summary>The number of page faults that needed no input: first accesses to a page, copies on write, and pages found in the page
    /// cache. A huge page counts once.</summary>
    public long MinorPageFaults { get; internal init; }

    /// <summary>The number of page faults that waited for a disk or for swap.</summary>
    public long MajorPageFaults { get; internal init; }

    /// <summary>The number of file system input operations (<c>ru_inblock</c>). Data that was already in the page cache does not
    /// count.</summary>
    /// <remarks>Linux counts in units of 512 bytes, regardless of the number of requests. The value is 0 in a kernel that was built without
    /// <c>CONFIG_TASK_IO_ACCOUNTING</c> (<c>include/linux/task_io_accounting_ops.h</c>). macOS counts operations.</remarks>
    public long BlockInputOperations { get; internal init; }

    /// <summary>The number of file system output operations (<c>ru_oublock</c>).</summary>
    /// <remarks>The units are those of <see cref="BlockInputOperations"/>. Linux counts a write when the page cache receives it, for the
    /// writing thread, and not when the kernel writes it to the disk. A file system without a disk, such as <c>tmpfs</c>, counts
    /// nothing.</remarks>
    public long BlockOutputOperations { get; internal init; }

    /// <summary>The number of times that the thread or process gave up the CPU to wait, for example for a lock, input or a timer.</summary>
    public long VoluntaryContextSwitches { get; internal init; }

    /// <summary>The number of times that the thread or process lost the CPU, at the end of a time slice or to a thread of higher
    /// priority.</summary>
    public long InvoluntaryContextSwitches { get; internal init; }

    /// <summary>Returns the resource usage of the current thread; <see cref="MaxResidentBytes"/> is the value of the process. Linux only.
    /// Use it for faults and context switches, and <see cref="CpuUsageReader"/> for CPU time alone.</summary>
    /// <returns>The usage since the start of the thread.</returns>
    /// <exception cref="MeasurementUnavailableException">This system does not report it.</exception>
    public static ResourceUsage GetByThread() => Get(ResourceOwner.Thread);

    /// <summary>Reads the same values as <see cref="GetByThread"/>, but returns the exception instead of throwing it.</summary>
    /// <param name="usage">The usage since the start of the thread; 0 on failure.</param>
    /// <param name="failure">The cause of a failure; <see langword="null"/> on success.</param>
    /// <returns><see langword="true"/> if the usage was read; otherwise, <see langword="false"/>.</returns>
    public static bool TryGetByThread(out ResourceUsage usage, [NotNullWhen(false)] out MeasurementUnavailableException? failure) =>
        CpuTimes.Current.TryGetResources(ResourceOwner.Thread, out usage, out failure);

    /// <summary>Returns the resource usage of all threads of this process. Linux and macOS only.</summary>
    /// <returns>The usage since the start of the process, including ended threads but not children.</returns>
    /// <exception cref="MeasurementUnavailableException">This system does not report it.</exception>
    public static ResourceUsage GetByProcess() => Get(ResourceOwner.Process);

    /// <summary>Reads the same values as <see cref="GetByProcess"/>, but returns the exception instead of throwing it.</summary>
    /// <param name="usage">The usage since the start of the process; 0 on failure.</param>
    /// <param name="failure">The cause of a failure; <see langword="null"/> on success.</param>
    /// <inheritdoc cref="TryGetByThread" path="/returns"/>
    public static bool TryGetByProcess(out ResourceUsage usage, [NotNullWhen(false)] out MeasurementUnavailableException? failure) =>
        CpuTimes.Current.TryGetResources(ResourceOwner.Process, out usage, out failure);

    /// <summary>Returns the resource usage of this process's children that have ended and have been waited for (.NET waits for those that
    /// <see cref="System.Diagnostics.Process"/> started), including their own children. Linux and macOS only.</summary>
    /// <returns>The usage since the start of this process.</returns>
    /// <exception cref="MeasurementUnavailableException">This system does not report it.</exception>
    public static ResourceUsage GetByChildren() => Get(ResourceOwner.Children);

    /// <summary>Reads the same values as <see cref="GetByChildren"/>, but returns the exception instead of throwing it.</summary>
    /// <inheritdoc cref="TryGetByProcess" path="/param|/returns"/>
    public static bool TryGetByChildren(out ResourceUsage usage, [NotNullWhen(false)] out MeasurementUnavailableException? failure) =>
        CpuTimes.Current.TryGetResources(ResourceOwner.Children, out usage, out failure);

    /// <summary>Subtracts two readings of the same thread or process. <see cref="MaxResidentBytes"/> is the value of the later one, because
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
        VoluntaryContextSwitches = end.VoluntaryContextSwitches - start.VoluntaryContextSwitches,
        InvoluntaryContextSwitches = end.InvoluntaryContextSwitches - start.InvoluntaryContextSwitches,
    };

    /// <summary>Adds the usage of two threads or processes, or of one in two periods. <see cref="MaxResidentBytes"/> is the larger value,
    /// because high-water marks have no sum.</summary>
    /// <param name="left">The first amount.</param>
    /// <param name="right">The second amount.</param>
    public static ResourceUsage operator +(ResourceUsage left, ResourceUsage right) => new()
    {
        Cpu = left.Cpu + right.Cpu,
        MaxResidentBytes = Math.Max(left.MaxResidentBytes, right.MaxResidentBytes),
        MinorPageFaults = left.MinorPageFaults + right.MinorPageFaults,
        MajorPageFaults = left.MajorPageFaults + right.MajorPageFaults,
        BlockInputOperations = left.BlockInputOperations + right.BlockInputOperations,
        BlockOutputOperations = left.BlockOutputOperations + right.BlockOutputOperations,
        VoluntaryContextSwitches = left.VoluntaryContextSwitches + right.VoluntaryContextSwitches,
        InvoluntaryContextSwitches = left.InvoluntaryContextSwitches + right.InvoluntaryContextSwitches,
    };

    /// <summary>Formats all values; culture-invariant.</summary>
    /// <returns>A string such as <c>12.345 ms (user 12.001 ms, kernel 0.344 ms), at most 84.2 MiB resident, page faults 120 minor and 0
    /// major, block operations 8 input and 16 output, context switches 51 voluntary and 3 involuntary</c>.</returns>
    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture,
        $"{Cpu}, at most {MaxResidentBytes / BytesPerMebibyte:0.0} MiB resident, "
        + $"page faults {MinorPageFaults} minor and {MajorPageFaults} major, "
        + $"block operations {BlockInputOperations} input and {BlockOutputOperations} output, "
        + $"context switches {VoluntaryContextSwitches} voluntary and {InvoluntaryContextSwitches} involuntary");

    private static ResourceUsage Get(ResourceOwner owner) =>
        CpuTimes.Current.TryGetResources(owner, out ResourceUsage now, out MeasurementUnavailableException? failure) ? now : throw failure;
}
