namespace Picollo.Samples.Tokenizer;

/// <summary>The times of the passes of one kind.</summary>
public sealed class PassTimes
{
    private readonly List<double> _passes = [];
    private double[] _fastestChunks = [];

    /// <summary>The median time of a pass, in nanoseconds.</summary>
    public double Median => MedianOf(_passes);

    /// <summary>The time of the fastest pass, in nanoseconds.</summary>
    public double Minimum => _passes.Min();

    /// <summary>
    /// The sum of the fastest time of each chunk, in nanoseconds of a thread. Other work on the machine disturbs every pass, but it affects
    /// this sum only if it disturbs the same chunk in every pass.
    /// </summary>
    public double SumOfFastestChunks => _fastestChunks.Sum();

    /// <summary>The median deviation of the passes from their median, relative to the median. It measures the noise of the machine.</summary>
    public double RelativeDeviation => MedianOf(_passes.Select(pass => Math.Abs(pass - Median))) / Median;

    public void Add(Pass pass)
    {
        _passes.Add(pass.Nanoseconds);
        _fastestChunks = _passes.Count == 1
            ? [.. pass.ChunkNanoseconds]
            : [.. _fastestChunks.Zip(pass.ChunkNanoseconds, Math.Min)];
    }

    private static double MedianOf(IEnumerable<double> values)
    {
        double[] sorted = [.. values.Order()];
        return (sorted[(sorted.Length - 1) / 2] + sorted[sorted.Length / 2]) / 2;
    }
}
