using Picollo.Timing;

namespace Picollo.Benchmarks.Histogram;

/// <summary>Empty scopes into a plain histogram.</summary>
internal abstract class ScopeContender(string name) : Contender(name, OperationsPerRun)
{
    /// <summary>At some 40 ns each.</summary>
    public const int OperationsPerRun = 2_000;

    protected PlainHdrHistogram<uint> Histogram { get; } = HdrHistogram.Create();

    public override void Verify()
    {
        Run(Operations);
        Require(Histogram.TotalCount == (ulong)Operations, $"{Histogram.TotalCount} of {Operations} were recorded.");
    }
}

/// <summary>On the stopwatch.</summary>
internal sealed class NanoScopes() : ScopeContender("using (h.GetNanoScope())")
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        PlainHdrHistogram<uint> histogram = Histogram;
        for (int i = 0; i < operations; i++)
        {
            using (histogram.GetNanoScope())
            {
            }
        }
    }
}

/// <summary>On the CPU's counter.</summary>
internal sealed class PicoScopes() : ScopeContender("using (h.GetPicoScope())")
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        PlainHdrHistogram<uint> histogram = Histogram;
        for (int i = 0; i < operations; i++)
        {
            using (histogram.GetPicoScope())
            {
            }
        }
    }
}

/// <summary>What no scope on a clock can be faster than: two readings and the difference.</summary>
internal sealed class TwoReads<TClock>(string name) : Contender(name, ScopeContender.OperationsPerRun)
    where TClock : struct, IClock
{
    private long _elapsed;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        long elapsed = 0;
        for (int i = 0; i < operations; i++)
        {
            long start = TClock.Read();
            elapsed += TClock.Read() - start;
        }

        _elapsed += elapsed;
    }

    public override void Verify()
    {
        Run(Operations);
        Require(_elapsed > 0, "the clock stands still.");
    }
}

/// <summary>A reading of a clock, in the clock's unit. A struct each, so that a loop over it is compiled for it alone.</summary>
internal interface IClock
{
    static abstract long Read();
}

internal struct StopwatchTime : IClock
{
    public static long Read() => Stopwatch.GetTimestamp();
}

internal struct CycleTime : IClock
{
    public static long Read() => CycleClock.GetTimestamp();
}
