using Picollo.Timing;

namespace Picollo.Benchmarks.Histogram;

/// <summary>Measures empty scopes with a plain histogram.</summary>
internal abstract class ScopeContender(string name) : Contender(name, OperationsPerRun)
{
    /// <summary>The number of scopes in a run. A scope takes about 40 ns.</summary>
    public const int OperationsPerRun = 2_000;

    protected PlainHdrHistogram<uint> Histogram { get; } = HdrHistogram.Create();

    public override void Verify()
    {
        Run(Operations);
        Require(Histogram.TotalCount == (ulong)Operations, $"{Histogram.TotalCount} of {Operations} scopes were recorded.");
    }
}

/// <summary>Scopes that use <see cref="Stopwatch"/>.</summary>
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

/// <summary>Scopes that use the CPU's time counter.</summary>
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

/// <summary>The lower bound for a scope: two readings of the clock and their difference.</summary>
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
        Require(_elapsed > 0, "the clock does not advance.");
    }
}

/// <summary>A clock, in its own unit. Each implementation is a struct, so that the loop is compiled separately for it.</summary>
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
