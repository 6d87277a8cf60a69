using Picollo.PerfEvent;

namespace Picollo.Tests.PerfEvent;

/// <summary>Pages whose counters the test makes up.</summary>
internal sealed unsafe class ScriptedPages(int count) : PerfPages(new nint[count], null)
{
    /// <summary>Which counters are on the CPU, a bit each.</summary>
    public ulong Readable { get; set; } = ulong.MaxValue >> (64 - count);

    public PerfPage[] Counters { get; } = new PerfPage[count];

    /// <summary>What each reading counts itself.</summary>
    public ulong CountsOfReading { get; set; }

    public int Reads { get; private set; }

    protected override ulong ReadAll(PerfPage* counters, int count)
    {
        Reads++;
        for (int i = 0; i < count; i++)
        {
            Counters[i].Value += CountsOfReading;
            counters[i] = Counters[i];
        }

        return Readable;
    }
}
