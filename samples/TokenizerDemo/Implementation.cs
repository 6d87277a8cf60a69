using Picollo.Metrics;

namespace Picollo.Samples.Tokenizer;

/// <summary>A tokenizer and its measurements.</summary>
/// <param name="name">The name in the tables.</param>
/// <param name="create">Creates the tokenizer of a thread.</param>
public sealed class Implementation(string name, Func<LineTokenizer> create)
{
    public string Name => name;

    /// <summary>The time of each line in all passes that time the lines, in nanoseconds. The histogram is thread-local, so that the threads do not
    /// contend.</summary>
    public ThreadLocalHdrHistogram<uint> LineNanoseconds { get; } = HdrHistogram.Factory
        .WithRelativeError(0.01)
        .WithMaxTrackableValue(NanoScope.OneSecondValue * 10)
        .WithThreadLocal()
        .Create();

    /// <summary>The times of the passes without scopes.</summary>
    public PassTimes Bare { get; } = new();

    /// <summary>The times of the passes with a scope around every line.</summary>
    public PassTimes Timed { get; } = new();

    /// <summary>The bytes that the threads allocated in the last pass without scopes.</summary>
    public long AllocatedBytes { get; private set; }

    /// <summary>Runs a pass of each kind, so that all code is compiled, and discards the times.</summary>
    /// <returns>The counted tokens.</returns>
    public TokenCounts WarmUp(string[] lines, int threads)
    {
        Pass.Run(lines, threads, create, histogram: null);
        Pass pass = Pass.Run(lines, threads, create, LineNanoseconds);
        LineNanoseconds.Reset();
        return pass.Counts;
    }

    /// <summary>Runs a pass without scopes.</summary>
    /// <returns>The counted tokens.</returns>
    public TokenCounts RunBare(string[] lines, int threads)
    {
        Pass pass = Pass.Run(lines, threads, create, histogram: null);
        Bare.Add(pass);
        AllocatedBytes = pass.AllocatedBytes;
        return pass.Counts;
    }

    /// <summary>Runs a pass with a scope around every line.</summary>
    /// <returns>The counted tokens.</returns>
    public TokenCounts RunTimed(string[] lines, int threads)
    {
        Pass pass = Pass.Run(lines, threads, create, LineNanoseconds);
        Timed.Add(pass);
        return pass.Counts;
    }
}
