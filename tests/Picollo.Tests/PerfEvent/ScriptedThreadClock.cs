using System.Diagnostics.CodeAnalysis;
using Picollo.Cpu;

namespace Picollo.Tests.PerfEvent;

/// <summary>A thread's clocks as others read them: each reading runs the script, in which anything may happen.</summary>
internal sealed class ScriptedThreadClock(Func<long> readTotal, Func<CpuUsage>? readSplit = null) : ICpuTimes
{
    public int Readings { get; private set; }

    public long? ThreadId => 1;

    public string? ThreadUnavailableReason => null;

    public bool TryGetThread(long threadId, out long totalNanoseconds, [NotNullWhen(false)] out string? problem)
    {
        Readings++;
        totalNanoseconds = readTotal();
        problem = null;
        return true;
    }

    public bool TryGetThread(long threadId, out CpuUsage split, [NotNullWhen(false)] out string? problem)
    {
        split = readSplit!();
        problem = null;
        return true;
    }

    public bool TryGetThread(out long totalNanoseconds) => throw new NotSupportedException();

    public bool TryGetThread(out long totalNanoseconds, out CpuUsage split) => throw new NotSupportedException();

    public bool TryGetProcess(out long totalNanoseconds, [NotNullWhen(false)] out string? problem) => throw new NotSupportedException();

    public bool TryGetProcess(out CpuUsage split, [NotNullWhen(false)] out string? problem) => throw new NotSupportedException();

    public bool TryGetChildren(out CpuUsage split, [NotNullWhen(false)] out string? problem) => throw new NotSupportedException();

    public bool TryGetProcess(int processId, out long totalNanoseconds, [NotNullWhen(false)] out string? problem) => throw new NotSupportedException();

    public bool TryGetProcess(int processId, out CpuUsage split, [NotNullWhen(false)] out string? problem) => throw new NotSupportedException();
}
