using Picollo.Interop.Native;
using Picollo.PerfEvent;

namespace Picollo.Tests.PerfEvent;

/// <summary>Pages whose counters are set by the test.</summary>
internal sealed unsafe class ScriptedPages(int count) : PerfPages(new nint[count], null, null)
{
    /// <summary>The counters that are on the CPU, one bit each.</summary>
    public ulong Readable { get; set; } = ulong.MaxValue >> (64 - count);

    public PerfPage[] Counters { get; } = new PerfPage[count];

    /// <summary>The count that each reading itself adds.</summary>
    public ulong CountsOfReading { get; set; }

    /// <summary>The additional count of a reading with the time.</summary>
    public ulong CountsOfTime { get; init; }

    /// <summary>The number of readings after which an interrupt adds a million.</summary>
    public int InterruptedEvery { get; init; } = int.MaxValue;

    public int Reads { get; private set; }

    protected override ulong ReadAll(PerfPage* counters, int count, bool withTimes)
    {
        Reads++;
        ulong counts = CountsOfReading + (withTimes ? CountsOfTime : 0) + (Reads % InterruptedEvery == 0 ? 1_000_000ul : 0);
        for (int i = 0; i < count; i++)
        {
            Counters[i].Value += counts;
            counters[i] = Counters[i];
        }

        return Readable;
    }
}
