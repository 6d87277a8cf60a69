using System.Diagnostics;
using System.Runtime.Versioning;
using Picollo.Interop.Windows;
using Picollo.Timing;

namespace Picollo.Cpu.Windows;

/// <summary>The current thread's cycles beside the monotonic clock; no cycles pass where the system does not count them.</summary>
[SupportedOSPlatform("windows")]
internal sealed unsafe class ThreadCycles : ICycleTimeSource
{
    public long ClockFrequency => Stopwatch.Frequency;

    public long ReadCounter()
    {
        ulong cycles;
        return Kernel32.QueryThreadCycleTime(Kernel32.CurrentThread, &cycles) != 0 ? (long)cycles : 0;
    }

    public long ReadClock() => Stopwatch.GetTimestamp();
}
