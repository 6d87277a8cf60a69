using Picollo.Metrics;

namespace Picollo.Samples.Tokenizer;

/// <summary>A tokenizer under measurement, and what its passes took.</summary>
/// <param name="name">What it is called in the tables.</param>
/// <param name="create">Makes the tokenizer of a thread.</param>
public sealed class Implementation(string name, Func<LineTokenizer> create)
{
    public string Name => name;

    /// <summary>Nanoseconds of each line in all timed passes; the threads record without meeting.</summary>
    public ThreadLocalHdrHistogram<uint> LineNanoseconds { get; } = HdrHistogram.Factory
        .WithRelativeError(0.01)
        .WithMaxTrackableValue(NanoScope.OneSecondValue * 10)
        .WithThreadLocal()
        .Create();

    /// <summary>What the passes took that timed no line.</summary>
    public PassTimes Bare { get; } = new();

    /// <summary>What the passes took that timed every line.</summary>
    public PassTimes Timed { get; } = new();

    /// <summary>What the threads allocated in the last pass that timed no line.</summary>
    public long AllocatedBytes { get; private set; }

    /// <summary>Makes a pass of either kind, so that all code is compiled, and forgets what they took.</summary>
    /// <returns>What was counted.</returns>
    public TokenCounts WarmUp(string[] lines, int threads)
    {
        Pass.Run(lines, threads, create, histogram: null);
        Pass pass = Pass.Run(lines, threads, create, LineNanoseconds);
        LineNanoseconds.Reset();
        return pass.Counts;
    }

    /// <summary>Makes a pass that times no line.</summary>
    /// <returns>What was counted.</returns>
    public TokenCounts RunBare(string[] lines, int threads)
    {
        Pass pass = Pass.Run(lines, threads, create, histogram: null);
        Bare.Add(pass);
        AllocatedBytes = pass.AllocatedBytes;
        return pass.Counts;
    }

    /// <summary>Makes a pass that times every line.</summary>
    /// <returns>What was counted.</returns>
    public TokenCounts RunTimed(string[] lines, int threads)
    {
        Pass pass = Pass.Run(lines, threads, create, LineNanoseconds);
        Timed.Add(pass);
        return pass.Counts;
    }
}
