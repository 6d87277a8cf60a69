using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;

namespace Picollo.Cpu;

/// <summary>A system without calls here.</summary>
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
