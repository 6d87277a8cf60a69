using Picollo.Interop.Native;
using Picollo.PerfEvent;

namespace Picollo.Tests.PerfEvent;

/// <summary>Pages whose counters the test makes up.</summary>
internal sealed unsafe class ScriptedPages(int count) : PerfPages(new nint[count], null, null)
{
    /// <summary>Which counters are on the CPU, a bit each.</summary>
    public ulong Readable { get; set; } = ulong.MaxValue >> (64 - count);

    public PerfPage[] Counters { get; } = new PerfPage[count];

    /// <summary>What each reading counts itself.</summary>
    public ulong CountsOfReading { get; set; }

    /// <summary>What a reading with the time counts in addition.</summary>
    public ulong CountsOfTime { get; init; }

    /// <summary>Every so many readings an interrupt adds a million.</summary>
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
