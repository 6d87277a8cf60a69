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

    /// <summary>Why the time of the current thread cannot be read, as a new exception; null if it can.</summary>
    MeasurementUnavailableException? ThreadFailure { get; }

    /// <summary>Reads the time of the current thread since its start, at the finest resolution of the system.</summary>
    bool TryGetThread(out long totalNanoseconds);

    /// <summary>Reads the total, and user and kernel time, which may have a coarser resolution. All three are monotonic.</summary>
    bool TryGetThread(out long totalNanoseconds, out CpuUsage split);

    /// <summary>Opens the run queue of the calling thread. Returns null, with a reason as a sentence, if it cannot be read.</summary>
    ThreadRunQueue? TryOpenRunQueue(out string? reason)
    {
        reason = "Only Linux reports the time that a thread waits for a CPU.";
        return null;
    }

    /// <summary>Reads the time of a thread of this process, of a process including its ended threads, or of this process's children that
    /// have ended and been waited for; user and kernel time together. An <paramref name="id"/> of 0 means this process. An unknown time is
    /// 0.</summary>
    bool TryGetTotal(
        ResourceOwner owner, long id, out long totalNanoseconds, [NotNullWhen(false)] out MeasurementUnavailableException? failure);

    /// <summary>Reads the same time as <see cref="TryGetTotal"/>, split into user and kernel time.</summary>
    bool TryGetSplit(ResourceOwner owner, long id, out CpuUsage split, [NotNullWhen(false)] out MeasurementUnavailableException? failure);

    /// <summary>Reads all values of <see cref="ResourceUsage"/> for this thread, this process or its children.</summary>
    bool TryGetResources(ResourceOwner owner, out ResourceUsage usage, [NotNullWhen(false)] out MeasurementUnavailableException? failure)
    {
        usage = default;
        failure = new(
            "Page faults, context switches and resident size are available only on Linux and macOS; "
            + $"this system is {RuntimeInformation.OSDescription}.",
            MeasurementUnavailableCause.NotSupported);
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
    public long? ThreadId => null;

    public MeasurementUnavailableException ThreadFailure => new(
        $"CPU time is available only on Linux, Windows and macOS; this system is {RuntimeInformation.OSDescription}.",
        MeasurementUnavailableCause.NotSupported);

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

    public bool TryGetTotal(
        ResourceOwner owner, long id, out long totalNanoseconds, [NotNullWhen(false)] out MeasurementUnavailableException? failure)
    {
        (totalNanoseconds, failure) = (0, ThreadFailure);
        return false;
    }

    public bool TryGetSplit(
        ResourceOwner owner, long id, out CpuUsage split, [NotNullWhen(false)] out MeasurementUnavailableException? failure)
    {
        (split, failure) = (default, ThreadFailure);
        return false;
    }
}

/// <summary>Reasons why the time of a thread or process is unknown, with the same text on every system.</summary>
internal static class CpuTimeReasons
{
    public static MeasurementUnavailableException NoThread(long threadId, int? error = null) => new(
        $"This process has no thread {threadId}. The thread may have ended, or this is a managed thread ID "
        + "(CpuUsageReader.GetThreadId() returns the system's ID).",
        MeasurementUnavailableCause.TargetNotFound,
        error);

    public static MeasurementUnavailableException ThreadEnded(long threadId) =>
        new($"Thread {threadId} has ended.", MeasurementUnavailableCause.TargetNotFound);

    public static MeasurementUnavailableException NoProcess(int processId, int? error = null) =>
        new($"There is no process {processId}; it may have exited.", MeasurementUnavailableCause.TargetNotFound, error);

    public static MeasurementUnavailableException ProcessEnded(int processId, int? error = null) =>
        new($"Process {processId} has exited.", MeasurementUnavailableCause.TargetNotFound, error);

    public static MeasurementUnavailableException NotPermitted(int processId, string remedy, int error) => new(
        $"This user is not permitted to read the CPU time of process {processId}: {remedy}.",
        MeasurementUnavailableCause.PermissionDenied,
        error);

    public static MeasurementUnavailableException CallFailed(string call, int error) =>
        new($"{call} failed with error {error}.", MeasurementUnavailableCause.Unknown, error);
}
