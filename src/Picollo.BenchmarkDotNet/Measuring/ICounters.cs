namespace Picollo.BenchmarkDotNet.Measuring;

/// <summary>Things that are counted over iterations, on the benchmark's thread.</summary>
internal interface ICounters : IDisposable
{
    /// <summary>What is counted, in the order of the counts.</summary>
    IReadOnlyList<string> Names { get; }

    /// <summary>What was asked for and cannot be counted: a sentence each.</summary>
    IReadOnlyList<string> Unavailable { get; }

    /// <summary>An iteration begins.</summary>
    void Begin();

    /// <summary>It has ended.</summary>
    /// <param name="counts">Takes what was counted since <see cref="Begin"/>.</param>
    void End(Span<ulong> counts);

    /// <summary>For which part of the time a counter has counted so far, 0 to 1; its counts are scaled where that is less than 1.</summary>
    double ShareOfTime(int index);
}
