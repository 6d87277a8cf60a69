namespace Picollo.Samples.Tokenizer;

/// <summary>What the passes of one kind took.</summary>
public sealed class PassTimes
{
    private readonly List<double> _passes = [];
    private double[] _fastestChunks = [];

    /// <summary>The median pass in nanoseconds.</summary>
    public double Median => MedianOf(_passes);

    /// <summary>The fastest pass in nanoseconds.</summary>
    public double Minimum => _passes.Min();

    /// <summary>
    /// The nanoseconds of a thread for all chunks, each in the pass that had it fastest. Other work on the machine, which
    /// no whole pass escapes, would have to meet the same chunk in every pass to show here.
    /// </summary>
    public double SumOfFastestChunks => _fastestChunks.Sum();

    /// <summary>The median distance of the passes from their median, as a share of it: how unquiet the machine is.</summary>
    public double Unrest => MedianOf(_passes.Select(pass => Math.Abs(pass - Median))) / Median;

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
