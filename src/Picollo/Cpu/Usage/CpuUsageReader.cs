using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace Picollo.Cpu;

/// <summary>Reads the CPU time of threads and processes, on Linux, Windows and macOS.</summary>
/// <remarks>
/// <para>Every method makes a few system calls and allocates nothing, except where documented; all are thread-safe.
/// A reading counts from the start of the thread or process; take two and subtract. Successive readings of the same thread or
/// process never go back, neither in user nor in kernel time; except, on Linux, user time of other threads and processes, see
/// below.</para>
/// <para><b>Step.</b> On Linux the current thread's time moves by about 1 µs, and by 1 ns in <see cref="GetThreadTimeNanoseconds()"/>.
/// Of other threads and processes there, the total is exact, and kernel time moves by 10 ms. User time is the rest: it goes back by up to
/// 10 ms where kernel time moves. A process's threads on other CPUs are
/// counted up to their last scheduler tick (4 ms at 250 Hz). On Windows 15.6 ms, and well under 1 µs for totals
/// (<c>QueryThreadCycleTime</c>); on macOS 1 to 10 µs.</para>
/// <para><b>The split.</b> A kernel that does not account at each entry (most Linux and all Windows ones) divides user from kernel time
/// by sampling at its ticks: the total is exact, the split is rough below some tens of ticks.</para>
/// </remarks>
public static class CpuUsageReader
{
    /// <summary>Whether this system reports the CPU time of the current thread and of this process. Where it is false,
    /// <see cref="UnavailableReason"/> says why. At most one system call.</summary>
    public static bool IsSupported => UnavailableReason is null;

    /// <summary>Why this system does not report the CPU time of the current thread or of this process; null if it reports both. At most
    /// one system call.</summary>
    public static string? UnavailableReason => ReasonOf(CpuTimes.Current);

    /// <summary>The CPU time of the current thread, user and kernel apart. Use it where the two matter;
    /// <see cref="GetThreadTimeNanoseconds()"/> costs about half.</summary>
    /// <returns>Since the thread began.</returns>
    /// <exception cref="MeasurementUnavailableException">This system does not report it.</exception>
    public static CpuUsage GetByThread()
    {
        if (!CpuTimes.Current.TryGetThread(out _, out CpuUsage usage))
        {
            ThrowThreadUnavailable();
        }

        return usage;
    }

    /// <summary>The CPU time of a thread of this process, user and kernel apart. May allocate.</summary>
    /// <param name="threadId">The system's id of the thread (<see cref="GetThreadId"/>,
    /// <see cref="System.Diagnostics.ProcessThread.Id"/>), not the managed one; at least 1.</param>
    /// <returns>Since the thread began.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The id is less than 1.</exception>
    /// <exception cref="MeasurementUnavailableException">This process has no such thread, or no longer; or this system does not
    /// report it.</exception>
    public static CpuUsage GetByThread(long threadId) =>
        TryGetByThread(threadId, out CpuUsage usage, out string? reason) ? usage : Throw<CpuUsage>(reason);

    /// <summary>As <see cref="GetByThread(long)"/>, but returns the reason instead of throwing.</summary>
    /// <param name="threadId">As there.</param>
    /// <param name="usage">Since the thread began; 0 if it is unavailable.</param>
    /// <param name="reason">Null if it is known; otherwise why it is not.</param>
    /// <returns>True if it is known.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The id is less than 1.</exception>
    public static bool TryGetByThread(long threadId, out CpuUsage usage, [NotNullWhen(false)] out string? reason)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(threadId, 1);
        return CpuTimes.Current.TryGetSplit(ResourceOwner.Thread, threadId, out usage, out reason);
    }

    /// <summary>The CPU time of this process, all its threads, user and kernel apart.</summary>
    /// <returns>Since the process began, with threads that have ended and without its children.</returns>
    /// <exception cref="MeasurementUnavailableException">This system does not report it.</exception>
    public static CpuUsage GetByProcess() =>
        CpuTimes.Current.TryGetSplit(ResourceOwner.Process, 0, out CpuUsage usage, out string? reason)
            ? usage
            : Throw<CpuUsage>(reason);

    /// <summary>The CPU time of a process, all its threads, user and kernel apart. May allocate.</summary>
    /// <param name="processId">At least 1.</param>
    /// <returns>Since the process began, with threads that have ended and without its children.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The id is less than 1.</exception>
    /// <exception cref="MeasurementUnavailableException">There is no such process, or no longer; or the system does not report it to
    /// this user.</exception>
    public static CpuUsage GetByProcess(int processId) =>
        TryGetByProcess(processId, out CpuUsage usage, out string? reason) ? usage : Throw<CpuUsage>(reason);

    /// <summary>As <see cref="GetByProcess(int)"/>, but returns the reason instead of throwing.</summary>
    /// <param name="processId">At least 1.</param>
    /// <param name="usage">Since the process began; 0 if it is unavailable.</param>
    /// <param name="reason">Null if it is known; otherwise why it is not.</param>
    /// <inheritdoc cref="TryGetByThread" path="/returns|/exception"/>
    public static bool TryGetByProcess(int processId, out CpuUsage usage, [NotNullWhen(false)] out string? reason)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(processId, 1);
        return CpuTimes.Current.TryGetSplit(ResourceOwner.Process, processId, out usage, out reason);
    }

    /// <summary>The CPU time of this process's children that have ended and have been waited for (.NET waits for those that
    /// <see cref="System.Diagnostics.Process"/> started), and of their children in turn. Linux and macOS.</summary>
    /// <returns>Since the process began.</returns>
    /// <exception cref="MeasurementUnavailableException">This system does not report it: Windows keeps no such account.</exception>
    public static CpuUsage GetByChildren() =>
        TryGetByChildren(out CpuUsage usage, out string? reason) ? usage : Throw<CpuUsage>(reason);

    /// <summary>As <see cref="GetByChildren"/>, but returns the reason instead of throwing.</summary>
    /// <param name="usage">Since the process began; 0 if it is unavailable.</param>
    /// <param name="reason">Null if it is known; otherwise why it is not.</param>
    /// <inheritdoc cref="TryGetByThread" path="/returns"/>
    public static bool TryGetByChildren(out CpuUsage usage, [NotNullWhen(false)] out string? reason) =>
        CpuTimes.Current.TryGetSplit(ResourceOwner.Children, 0, out usage, out reason);

    /// <summary>The CPU time of the current thread, user and kernel together, at the finest step and the lowest price the system
    /// has: the thread's clock, one system call. Use it where the total is enough; in loops that read very
    /// often, use <c>ThreadCpuClock</c>.</summary>
    /// <returns>Nanoseconds since the thread began.</returns>
    /// <exception cref="MeasurementUnavailableException">This system does not report it.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long GetThreadTimeNanoseconds()
    {
        if (!CpuTimes.Current.TryGetThread(out long nanoseconds))
        {
            ThrowThreadUnavailable();
        }

        return nanoseconds;
    }

    /// <summary>The CPU time of a thread of this process, user and kernel together, at the finest step the system has.</summary>
    /// <param name="threadId">As for <see cref="GetByThread(long)"/>.</param>
    /// <returns>Nanoseconds since the thread began.</returns>
    /// <inheritdoc cref="GetByThread(long)" path="/exception"/>
    public static long GetThreadTimeNanoseconds(long threadId) =>
        TryGetThreadTimeNanoseconds(threadId, out long nanoseconds, out string? reason) ? nanoseconds : Throw<long>(reason);

    /// <summary>As <see cref="GetThreadTimeNanoseconds(long)"/>, but returns the reason instead of throwing.</summary>
    /// <param name="threadId">As for <see cref="GetByThread(long)"/>.</param>
    /// <param name="nanoseconds">Since the thread began; 0 if it is unavailable.</param>
    /// <param name="reason">Null if it is known; otherwise why it is not.</param>
    /// <inheritdoc cref="TryGetByThread" path="/returns|/exception"/>
    public static bool TryGetThreadTimeNanoseconds(long threadId, out long nanoseconds, [NotNullWhen(false)] out string? reason)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(threadId, 1);
        return CpuTimes.Current.TryGetTotal(ResourceOwner.Thread, threadId, out nanoseconds, out reason);
    }

    /// <summary>The CPU time of this process, user and kernel together, at the finest step the system has.</summary>
    /// <returns>Nanoseconds since the process began.</returns>
    /// <inheritdoc cref="GetByProcess()" path="/exception"/>
    public static long GetProcessTimeNanoseconds() =>
        CpuTimes.Current.TryGetTotal(ResourceOwner.Process, 0, out long nanoseconds, out string? reason)
            ? nanoseconds
            : Throw<long>(reason);

    /// <summary>The CPU time of a process, user and kernel together, at the finest step the system has.</summary>
    /// <param name="processId">At least 1.</param>
    /// <returns>Nanoseconds since the process began.</returns>
    /// <inheritdoc cref="GetByProcess(int)" path="/exception"/>
    public static long GetProcessTimeNanoseconds(int processId) =>
        TryGetProcessTimeNanoseconds(processId, out long nanoseconds, out string? reason) ? nanoseconds : Throw<long>(reason);

    /// <summary>As <see cref="GetProcessTimeNanoseconds(int)"/>, but returns the reason instead of throwing.</summary>
    /// <param name="processId">At least 1.</param>
    /// <param name="nanoseconds">Since the process began; 0 if it is unavailable.</param>
    /// <param name="reason">Null if it is known; otherwise why it is not.</param>
    /// <inheritdoc cref="TryGetByThread" path="/returns|/exception"/>
    public static bool TryGetProcessTimeNanoseconds(int processId, out long nanoseconds, [NotNullWhen(false)] out string? reason)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(processId, 1);
        return CpuTimes.Current.TryGetTotal(ResourceOwner.Process, processId, out nanoseconds, out reason);
    }

    /// <summary>The system's id of the current thread, for <see cref="GetByThread(long)"/> from another one. Differs from
    /// <see cref="Environment.CurrentManagedThreadId"/>.</summary>
    /// <returns>At least 1. Free for another thread once this one has ended.</returns>
    /// <exception cref="MeasurementUnavailableException">This system does not report it.</exception>
    public static long GetThreadId() =>
        CpuTimes.Current.ThreadId ?? Throw<long>(
            "This system does not tell a thread its id: they are known on Linux (x64, arm64, riscv64, loongarch64; where a seccomp "
            + "filter refuses gettid(2), allow it), Windows and macOS only.");

    internal static string? ReasonOf(ICpuTimes times) =>
        times.ThreadUnavailableReason is { } reason || !times.TryGetSplit(ResourceOwner.Process, 0, out _, out reason) ? reason : null;

    internal static T Throw<T>(string reason) => throw new MeasurementUnavailableException(reason);

    private static void ThrowThreadUnavailable() =>
        Throw<long>(
            CpuTimes.Current.ThreadUnavailableReason ?? "The system refused to tell the current thread's CPU time, which it told before.");
}
