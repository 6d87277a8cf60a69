namespace Picollo.Cpu;

/// <summary>Reads the CPU time of threads and processes, on Linux, Windows and macOS.</summary>
/// <remarks>
/// <para>Every method makes a few system calls and does not allocate, except where documented. All methods are thread-safe. A reading
/// counts from the start of the thread or process: take two readings and subtract them. User and kernel time of the same thread or process
/// never decrease between readings, except the user time of other threads and processes on Linux, see below.</para>
/// <para><b>Resolution.</b> On Linux, the time of the current thread has a resolution of about 1 µs, and of 1 ns in
/// <see cref="GetThreadTimeNanoseconds()"/>. For other threads and processes, the total is exact and kernel time has a resolution of 10 ms.
/// User time is the difference, so it decreases by up to 10 ms when kernel time increases. Threads of a process on other CPUs are counted
/// up to their last scheduler tick (4 ms at 250 Hz). On Windows, the resolution is 15.6 ms, and well under 1 µs for totals
/// (<c>QueryThreadCycleTime</c>); on macOS 1 to 10 µs.</para>
/// <para><b>User and kernel time.</b> A kernel that does not account at each entry (most Linux and all Windows kernels) splits user and
/// kernel time by sampling at its ticks: the total is exact, but the split is imprecise for times shorter than tens of ticks.</para>
/// </remarks>
public static class CpuUsageReader
{
    /// <summary>Whether this system reports the CPU time of the current thread and of this process. If <see langword="false"/>,
    /// <see cref="UnavailableReason"/> contains the reason. Makes at most one system call.</summary>
    public static bool IsSupported => UnavailableReason is null;

    /// <summary>The reason why this system does not report the CPU time of the current thread or of this process; <see langword="null"/> if
    /// it reports both. Makes at most one system call.</summary>
    public static string? UnavailableReason => FailureOf(CpuTimes.Current)?.Message;

    /// <summary>Returns the CPU time of the current thread, split into user and kernel time. If the total is sufficient,
    /// <see cref="GetThreadTimeNanoseconds()"/> costs about half as much.</summary>
    /// <returns>The time since the start of the thread.</returns>
    /// <exception cref="MeasurementUnavailableException">This system does not report it.</exception>
    public static CpuUsage GetByThread()
    {
        if (!CpuTimes.Current.TryGetThread(out _, out CpuUsage usage))
        {
            ThrowThreadFailure();
        }

        return usage;
    }

    /// <summary>Returns the CPU time of a thread of this process, split into user and kernel time. May allocate.</summary>
    /// <param name="threadId">The system's ID of the thread (<see cref="GetThreadId"/>, <see cref="System.Diagnostics.ProcessThread.Id"/>),
    /// not the managed ID; at least 1.</param>
    /// <returns>The time since the start of the thread.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The ID is less than 1.</exception>
    /// <exception cref="MeasurementUnavailableException">This process has no such thread, the thread has ended, or this system does not
    /// report its time.</exception>
    public static CpuUsage GetByThread(long threadId) => GetSplit(ResourceOwner.Thread, Valid(threadId));

    /// <summary>Reads the same time as <see cref="GetByThread(long)"/>, but returns the exception instead of throwing it.</summary>
    /// <param name="threadId">The system's ID of the thread, not the managed ID; at least 1.</param>
    /// <param name="usage">The time since the start of the thread; 0 on failure.</param>
    /// <param name="failure">The cause of a failure; <see langword="null"/> on success.</param>
    /// <returns><see langword="true"/> if the time was read; otherwise, <see langword="false"/>.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The ID is less than 1.</exception>
    public static bool TryGetByThread(
        long threadId, out CpuUsage usage, [NotNullWhen(false)] out MeasurementUnavailableException? failure) =>
        CpuTimes.Current.TryGetSplit(ResourceOwner.Thread, Valid(threadId), out usage, out failure);

    /// <summary>Returns the CPU time of all threads of this process, split into user and kernel time.</summary>
    /// <returns>The time since the start of the process, including ended threads but not children.</returns>
    /// <exception cref="MeasurementUnavailableException">This system does not report it.</exception>
    public static CpuUsage GetByProcess() => GetSplit(ResourceOwner.Process, 0);

    /// <summary>Returns the CPU time of all threads of a process, split into user and kernel time. May allocate.</summary>
    /// <param name="processId">The process ID; at least 1.</param>
    /// <returns>The time since the start of the process, including ended threads but not children.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The ID is less than 1.</exception>
    /// <exception cref="MeasurementUnavailableException">There is no such process, it has exited, or the system does not report its time to
    /// this user.</exception>
    public static CpuUsage GetByProcess(int processId) => GetSplit(ResourceOwner.Process, Valid(processId));

    /// <summary>Reads the same time as <see cref="GetByProcess(int)"/>, but returns the exception instead of throwing it.</summary>
    /// <param name="processId">The process ID; at least 1.</param>
    /// <param name="usage">The time since the start of the process; 0 on failure.</param>
    /// <param name="failure">The cause of a failure; <see langword="null"/> on success.</param>
    /// <inheritdoc cref="TryGetByThread" path="/returns|/exception"/>
    public static bool TryGetByProcess(
        int processId, out CpuUsage usage, [NotNullWhen(false)] out MeasurementUnavailableException? failure) =>
        CpuTimes.Current.TryGetSplit(ResourceOwner.Process, Valid(processId), out usage, out failure);

    /// <summary>Returns the CPU time of this process's children that have exited and have been waited for (.NET waits for those that
    /// <see cref="System.Diagnostics.Process"/> started), including their own children. Linux and macOS only.</summary>
    /// <returns>The time since the start of this process.</returns>
    /// <exception cref="MeasurementUnavailableException">This system does not report it, for example Windows.</exception>
    public static CpuUsage GetByChildren() => GetSplit(ResourceOwner.Children, 0);

    /// <summary>Reads the same time as <see cref="GetByChildren"/>, but returns the exception instead of throwing it.</summary>
    /// <param name="usage">The time since the start of this process; 0 on failure.</param>
    /// <param name="failure">The cause of a failure; <see langword="null"/> on success.</param>
    /// <inheritdoc cref="TryGetByThread" path="/returns"/>
    public static bool TryGetByChildren(out CpuUsage usage, [NotNullWhen(false)] out MeasurementUnavailableException? failure) =>
        CpuTimes.Current.TryGetSplit(ResourceOwner.Children, 0, out usage, out failure);

    /// <summary>Returns the CPU time of the current thread, user and kernel time together, at the finest resolution and the lowest cost of
    /// the system: one system call, which reads the clock of the thread. Use it if the total is sufficient. In loops that read very often,
    /// use <c>ThreadCpuClock</c>.</summary>
    /// <returns>The time since the start of the thread, in nanoseconds.</returns>
    /// <exception cref="MeasurementUnavailableException">This system does not report it.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long GetThreadTimeNanoseconds()
    {
        if (!CpuTimes.Current.TryGetThread(out long nanoseconds))
        {
            ThrowThreadFailure();
        }

        return nanoseconds;
    }

    /// <summary>Returns the CPU time of a thread of this process, user and kernel time together, at the finest resolution of the
    /// system.</summary>
    /// <param name="threadId">The system's ID of the thread, not the managed ID; at least 1.</param>
    /// <returns>The time since the start of the thread, in nanoseconds.</returns>
    /// <inheritdoc cref="GetByThread(long)" path="/exception"/>
    public static long GetThreadTimeNanoseconds(long threadId) => GetTotal(ResourceOwner.Thread, Valid(threadId));

    /// <summary>Reads the same time as <see cref="GetThreadTimeNanoseconds(long)"/>, but returns the exception instead of throwing
    /// it.</summary>
    /// <param name="threadId">The system's ID of the thread, not the managed ID; at least 1.</param>
    /// <param name="nanoseconds">The time since the start of the thread; 0 on failure.</param>
    /// <param name="failure">The cause of a failure; <see langword="null"/> on success.</param>
    /// <inheritdoc cref="TryGetByThread" path="/returns|/exception"/>
    public static bool TryGetThreadTimeNanoseconds(
        long threadId, out long nanoseconds, [NotNullWhen(false)] out MeasurementUnavailableException? failure) =>
        CpuTimes.Current.TryGetTotal(ResourceOwner.Thread, Valid(threadId), out nanoseconds, out failure);

    /// <summary>Returns the CPU time of this process, user and kernel time together, at the finest resolution of the system.</summary>
    /// <returns>The time since the start of the process, in nanoseconds.</returns>
    /// <inheritdoc cref="GetByProcess()" path="/exception"/>
    public static long GetProcessTimeNanoseconds() => GetTotal(ResourceOwner.Process, 0);

    /// <summary>Returns the CPU time of a process, user and kernel time together, at the finest resolution of the system.</summary>
    /// <param name="processId">The process ID; at least 1.</param>
    /// <returns>The time since the start of the process, in nanoseconds.</returns>
    /// <inheritdoc cref="GetByProcess(int)" path="/exception"/>
    public static long GetProcessTimeNanoseconds(int processId) => GetTotal(ResourceOwner.Process, Valid(processId));

    /// <summary>Reads the same time as <see cref="GetProcessTimeNanoseconds(int)"/>, but returns the exception instead of throwing
    /// it.</summary>
    /// <param name="processId">The process ID; at least 1.</param>
    /// <param name="nanoseconds">The time since the start of the process; 0 on failure.</param>
    /// <param name="failure">The cause of a failure; <see langword="null"/> on success.</param>
    /// <inheritdoc cref="TryGetByThread" path="/returns|/exception"/>
    public static bool TryGetProcessTimeNanoseconds(
        int processId, out long nanoseconds, [NotNullWhen(false)] out MeasurementUnavailableException? failure) =>
        CpuTimes.Current.TryGetTotal(ResourceOwner.Process, Valid(processId), out nanoseconds, out failure);

    /// <summary>Returns the system's ID of the current thread, to pass to <see cref="GetByThread(long)"/> on another thread. It differs
    /// from <see cref="Environment.CurrentManagedThreadId"/>.</summary>
    /// <returns>The ID; at least 1. The system may reuse it after the thread has ended.</returns>
    /// <exception cref="MeasurementUnavailableException">This system does not report it.</exception>
    public static long GetThreadId() => CpuTimes.Current.ThreadId ?? throw new MeasurementUnavailableException(
        "This system does not report the ID of a thread. IDs are available only on Windows, macOS and Linux (x64, arm64, riscv64, "
        + "loongarch64; if a seccomp filter refuses gettid(2), allow the call).",
        MeasurementUnavailableCause.Unknown);

    internal static MeasurementUnavailableException? FailureOf(ICpuTimes times) =>
        times.ThreadFailure
        ?? (times.TryGetSplit(ResourceOwner.Process, 0, out _, out MeasurementUnavailableException? failure) ? null : failure);

    private static void ThrowThreadFailure() => throw CpuTimes.Current.ThreadFailure ?? new MeasurementUnavailableException(
        "The system refused to report the CPU time of the current thread, although it reported the time before.",
        MeasurementUnavailableCause.Unknown);

    private static long Valid(long id, [CallerArgumentExpression(nameof(id))] string? argument = null)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(id, 1, argument);
        return id;
    }

    private static CpuUsage GetSplit(ResourceOwner owner, long id) =>
        CpuTimes.Current.TryGetSplit(owner, id, out CpuUsage usage, out MeasurementUnavailableException? failure) ? usage : throw failure;

    private static long GetTotal(ResourceOwner owner, long id) =>
        CpuTimes.Current.TryGetTotal(owner, id, out long total, out MeasurementUnavailableException? failure) ? total : throw failure;
}
