namespace Picollo.Cpu;

internal static class CpuTimes
{
    /// <summary>The CPU times of this system. The field is static readonly, so that the JIT treats it as a constant and calls the class
    /// directly.</summary>
    public static readonly ICpuTimes Current = CpuPlatform.Current.CreateCpuTimes();
}

/// <summary>The calls of one system that return CPU time. There is one small class per system. No member throws. A method that can fail
/// for several reasons returns the reason. A method that fails only if the call does not exist returns false.</summary>
internal interface ICpuTimes
{
    /// <summary>The system's ID of the current thread; null if the system does not return one.</summary>
    long? ThreadId { get; }

    /// <summary>Why the time of the current thread cannot be read; null if it can.</summary>
    string? ThreadUnavailableReason { get; }

    /// <summary>Reads the time of the current thread since its start, at the finest resolution of the system.</summary>
    bool TryGetThread(out long totalNanoseconds);

    /// <summary>Reads the total, and user and kernel time, which may have a coarser resolution. All three are monotonic.</summary>
    bool TryGetThread(out long totalNanoseconds, out CpuUsage split);

    /// <summary>Reads the time of a thread of this process, of a process including its ended threads, or of this process's children that
    /// have ended and been waited for; user and kernel time together. An <paramref name="id"/> of 0 means this process. An unknown time is
    /// 0.</summary>
    bool TryGetTotal(ResourceOwner owner, long id, out long totalNanoseconds, [NotNullWhen(false)] out string? reason);

    /// <summary>Reads the same time as <see cref="TryGetTotal"/>, split into user and kernel time.</summary>
    bool TryGetSplit(ResourceOwner owner, long id, out CpuUsage split, [NotNullWhen(false)] out string? reason);

    /// <summary>Reads all values of <see cref="ResourceUsage"/> for this thread, this process or its children.</summary>
    bool TryGetResources(ResourceOwner owner, out ResourceUsage usage, [NotNullWhen(false)] out string? reason)
    {
        usage = default;
        reason = "Page faults, context switches and resident size are available only on Linux and macOS; "
            + $"this system is {RuntimeInformation.OSDescription}.";
        return false;
    }
}

/// <summary>The owner of CPU time and other resources.</summary>
internal enum ResourceOwner
{
    Thread,

    /// <summary>This process with all its threads, including ended ones.</summary>
    Process,

    /// <summary>The children that have ended and been waited for.</summary>
    Children,
}

/// <summary>The implementation for unsupported systems.</summary>
internal sealed class UnknownCpuTimes : ICpuTimes
{
    private static readonly string Reason =
        $"CPU time is available only on Linux, Windows and macOS; this system is {RuntimeInformation.OSDescription}.";

    public long? ThreadId => null;

    public string? ThreadUnavailableReason => Reason;

    public bool TryGetThread(out long totalNanoseconds)
    {
        totalNanoseconds = 0;
        return false;
    }

    public bool TryGetThread(out long totalNanoseconds, out CpuUsage split)
    {
        (totalNanoseconds, split) = (0, default);
        return false;
    }

    public bool TryGetTotal(ResourceOwner owner, long id, out long totalNanoseconds, [NotNullWhen(false)] out string? reason)
    {
        (totalNanoseconds, reason) = (0, Reason);
        return false;
    }

    public bool TryGetSplit(ResourceOwner owner, long id, out CpuUsage split, [NotNullWhen(false)] out string? reason)
    {
        (split, reason) = (default, Reason);
        return false;
    }
}

/// <summary>Reasons why the time of a thread or process is unknown, with the same text on every system.</summary>
internal static class CpuTimeReasons
{
    public static string NoThread(long threadId) =>
        $"This process has no thread {threadId}. The thread may have ended, or this is a managed thread ID "
        + "(CpuUsageReader.GetThreadId() returns the system's ID).";

    public static string ThreadEnded(long threadId) => $"Thread {threadId} has ended.";

    public static string NoProcess(int processId) => $"There is no process {processId}; it may have exited.";

    public static string ProcessEnded(int processId) => $"Process {processId} has exited.";

    public static string NotPermitted(int processId, string remedy) =>
        $"This user is not permitted to read the CPU time of process {processId}: {remedy}.";

    public static string CallFailed(string call, int error) => $"{call} failed with error {error}.";
}
