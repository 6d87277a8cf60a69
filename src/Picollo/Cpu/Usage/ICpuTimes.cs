using System.Diagnostics.CodeAnalysis;

namespace Picollo.Cpu;

/// <summary>
/// One system's calls that tell CPU time, one small class each; chosen once, in <see cref="CpuTimes"/>. Nothing throws: what
/// fails for a reason worth telling gives the reason, what can only fail where the call does not exist at all gives false.
/// </summary>
internal interface ICpuTimes
{
    /// <summary>The system's number of the current thread; null where it has none to tell.</summary>
    long? ThreadId { get; }

    /// <summary>Why the current thread's time cannot be read here; null where it can.</summary>
    string? ThreadUnavailableReason { get; }

    /// <summary>The current thread's time since it began, at the system's finest step.</summary>
    bool TryGetThread(out long totalNanoseconds);

    /// <summary>The same, and user and kernel time apart, which may have a coarser step. Monotone, all three.</summary>
    bool TryGetThread(out long totalNanoseconds, out CpuUsage split);

    /// <summary>This process's time, all its threads, ended ones too.</summary>
    bool TryGetProcess(out long totalNanoseconds, [NotNullWhen(false)] out string? problem);

    /// <inheritdoc cref="TryGetProcess(out long, out string?)"/>
    bool TryGetProcess(out CpuUsage split, [NotNullWhen(false)] out string? problem);

    /// <summary>What the children that have ended, and been waited for, took.</summary>
    bool TryGetChildren(out CpuUsage split, [NotNullWhen(false)] out string? problem);

    /// <summary>Another thread of this process. Ids are positive.</summary>
    bool TryGetThread(long threadId, out long totalNanoseconds, [NotNullWhen(false)] out string? problem);

    /// <inheritdoc cref="TryGetThread(long, out long, out string?)"/>
    bool TryGetThread(long threadId, out CpuUsage split, [NotNullWhen(false)] out string? problem);

    /// <summary>Another process. Ids are positive.</summary>
    bool TryGetProcess(int processId, out long totalNanoseconds, [NotNullWhen(false)] out string? problem);

    /// <inheritdoc cref="TryGetProcess(int, out long, out string?)"/>
    bool TryGetProcess(int processId, out CpuUsage split, [NotNullWhen(false)] out string? problem);
}
