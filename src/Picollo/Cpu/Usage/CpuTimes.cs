using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;
using Picollo.Cpu.Linux;
using Picollo.Cpu.MacOS;
using Picollo.Cpu.Windows;

namespace Picollo.Cpu;

/// <summary>Chooses this system's <see cref="ICpuTimes"/>, once.</summary>
internal static class CpuTimes
{
    /// <summary>static readonly: a constant to the JIT, which calls the class behind it directly.</summary>
    public static readonly ICpuTimes Current =
        OperatingSystem.IsLinux() ? new LinuxCpuTimes()
        : OperatingSystem.IsWindows() ? new WindowsCpuTimes()
        : OperatingSystem.IsMacOS() ? new MacCpuTimes()
        : new UnknownCpuTimes();
}

/// <summary>One system's calls that return CPU time, one small class each; chosen once, in <see cref="CpuTimes"/>. Nothing throws: what
/// fails for a reason worth reporting gives the reason, what can only fail where the call does not exist at all gives false.</summary>
internal interface ICpuTimes
{
    /// <summary>The system's ID of the current thread; null where it does not return one.</summary>
    long? ThreadId { get; }

    /// <summary>Why the current thread's time cannot be read here; null where it can.</summary>
    string? ThreadUnavailableReason { get; }

    /// <summary>The current thread's time since it began, at the system's finest step.</summary>
    bool TryGetThread(out long totalNanoseconds);

    /// <summary>The same, and user and kernel time apart, which may have a coarser step. Monotone, all three.</summary>
    bool TryGetThread(out long totalNanoseconds, out CpuUsage split);

    /// <summary>The time of a thread of this process, of a process with its ended threads, or of this process's children that have
    /// ended and been waited for; user and kernel time together. An <paramref name="id"/> of 0 is this process; a time that is not known
    /// is 0.</summary>
    bool TryGetTotal(ResourceOwner owner, long id, out long totalNanoseconds, [NotNullWhen(false)] out string? reason);

    /// <summary>As <see cref="TryGetTotal"/>, user and kernel time apart.</summary>
    bool TryGetSplit(ResourceOwner owner, long id, out CpuUsage split, [NotNullWhen(false)] out string? reason);
}

/// <summary>The owner of CPU time and other resources.</summary>
internal enum ResourceOwner
{
    /// <summary>The current thread.</summary>
    Thread,

    /// <summary>This process, all its threads, ended ones too.</summary>
    Process,

    /// <summary>The children that have ended and been waited for.</summary>
    Children,
}

/// <summary>Any other system.</summary>
internal sealed class UnknownCpuTimes : ICpuTimes
{
    private static readonly string Reason =
        $"CPU time is read on Linux, Windows and macOS only; this is {RuntimeInformation.OSDescription}.";

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

/// <summary>Why a thread's or process's time is not known: the same words on every system.</summary>
internal static class CpuTimeReasons
{
    public static string NoThread(long threadId) =>
        $"There is no thread {threadId} in this process: it may have ended, or this be its managed id "
        + "(CpuUsageReader.GetThreadId() tells the system's).";

    public static string ThreadEnded(long threadId) => $"Thread {threadId} has ended.";

    public static string NoProcess(int processId) => $"There is no process {processId}; it may have ended.";

    public static string ProcessEnded(int processId) => $"Process {processId} has ended.";

    public static string NotPermitted(int processId, string remedy) =>
        $"The system does not let this user read process {processId}'s times: {remedy}.";

    public static string CallFailed(string call, int error) => $"{call} failed with error {error}.";
}
