using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;

namespace Picollo.Cpu;

/// <summary>A system that nobody has written the calls for.</summary>
internal sealed class UnknownCpuTimes : ICpuTimes
{
    private static readonly string Reason =
        $"CPU time is read on Linux, Windows and macOS only; this is {RuntimeInformation.OSDescription}.";

    public long? ThreadId => null;

    public string? ThreadUnavailableReason => Reason;

    public bool TryGetThread(out long totalNanoseconds) => Fail(out totalNanoseconds, out _);

    public bool TryGetThread(out long totalNanoseconds, out CpuUsage split)
    {
        totalNanoseconds = 0;
        return Fail(out split, out _);
    }

    public bool TryGetProcess(out long totalNanoseconds, [NotNullWhen(false)] out string? problem) =>
        Fail(out totalNanoseconds, out problem);

    public bool TryGetProcess(out CpuUsage split, [NotNullWhen(false)] out string? problem) => Fail(out split, out problem);

    public bool TryGetChildren(out CpuUsage split, [NotNullWhen(false)] out string? problem) => Fail(out split, out problem);

    public bool TryGetThread(long threadId, out long totalNanoseconds, [NotNullWhen(false)] out string? problem) =>
        Fail(out totalNanoseconds, out problem);

    public bool TryGetThread(long threadId, out CpuUsage split, [NotNullWhen(false)] out string? problem) => Fail(out split, out problem);

    public bool TryGetProcess(int processId, out long totalNanoseconds, [NotNullWhen(false)] out string? problem) =>
        Fail(out totalNanoseconds, out problem);

    public bool TryGetProcess(int processId, out CpuUsage split, [NotNullWhen(false)] out string? problem) => Fail(out split, out problem);

    private static bool Fail<T>(out T value, [NotNullWhen(false)] out string? problem)
        where T : struct
    {
        value = default;
        problem = Reason;
        return false;
    }
}
