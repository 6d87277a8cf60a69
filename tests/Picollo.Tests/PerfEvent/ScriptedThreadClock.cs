using System.Diagnostics.CodeAnalysis;
using Picollo.Cpu;

namespace Picollo.Tests.PerfEvent;

/// <summary>The clocks of a thread as other threads read them. Each reading runs the script, which can do anything. The
/// clock cannot be read if it returns null.</summary>
internal sealed class ScriptedThreadClock(Func<long?> readTotal, Func<CpuUsage>? readSplit = null) : ICpuTimes
{
    public int Readings { get; private set; }

    public long? ThreadId => 1;

    public MeasurementUnavailableException? ThreadFailure => null;

    public bool TryGetTotal(ResourceOwner owner, long id, out long totalNanoseconds, [NotNullWhen(false)] out MeasurementUnavailableException? failure)
    {
        owner.Should().Be(ResourceOwner.Thread);
        Readings++;
        long? total = readTotal();
        totalNanoseconds = total.GetValueOrDefault();
        failure = total is null ? new("the script says so", MeasurementUnavailableCause.Unknown) : null;
        return failure is null;
    }

    public bool TryGetSplit(ResourceOwner owner, long id, out CpuUsage split, [NotNullWhen(false)] out MeasurementUnavailableException? failure)
    {
        owner.Should().Be(ResourceOwner.Thread);
        split = readSplit!();
        failure = null;
        return true;
    }

    public bool TryGetThread(out long totalNanoseconds) => throw new NotSupportedException();

    public bool TryGetThread(out long totalNanoseconds, out CpuUsage split) => throw new NotSupportedException();
}
