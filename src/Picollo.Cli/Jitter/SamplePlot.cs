using Picollo.Export.Plots;

namespace Picollo.Cli.Jitter;

/// <summary>Plots saved samples over time: the largest latency of each CPU in each interval.</summary>
internal static class SamplePlot
{
    private const double NanosecondsPerSecond = 1e9;

    /// <summary>The minimum average number of samples per interval and CPU, so that few intervals are empty.</summary>
    private const long SamplesPerColumn = 2;

    /// <summary>Draws the samples. Reads them twice: first for the duration, then for the latencies.</summary>
    /// <param name="options">The options; values are in nanoseconds.</param>
    /// <exception cref="CommandException">There are no samples, they are damaged, or the source is not a file.</exception>
    public static HdrHistogramPlot Create(SampleSource source, Terminal terminal, HdrHistogramPlotOptions options)
    {
        using SampleReader reader = source.Open(terminal);
        if (!reader.IsFile)
        {
            throw new CommandException($"{source.Path}: a plot requires a file, because it reads the samples twice");
        }

        (long start, long end, long count) = (long.MaxValue, long.MinValue, 0);
        SortedSet<int> cpus = [];
        foreach (JitterSample sample in reader.ReadAll())
        {
            (start, end, count) = (Math.Min(start, sample.TimeNanoseconds), Math.Max(end, sample.TimeNanoseconds), count + 1);
            cpus.Add(sample.Cpu);
        }

        if (count == 0)
        {
            throw new CommandException($"{source.Path}: the file contains no samples");
        }

        int columns = (int)Math.Clamp(count / cpus.Count / SamplesPerColumn, 1, TimePlot.MaxColumns);
        long duration = end - start + 1;
        double[]?[] largest = new double[cpus.Max + 1][];
        foreach (int cpu in cpus)
        {
            Array.Fill(largest[cpu] = new double[columns], double.NaN);
        }

        foreach (JitterSample sample in reader.ReadAll())
        {
            // Skip samples that were appended to the file since the first pass.
            if (sample.TimeNanoseconds >= start && sample.TimeNanoseconds <= end && sample.Cpu < largest.Length
                && largest[sample.Cpu] is { } levels)
            {
                int column = (int)((Int128)(sample.TimeNanoseconds - start) * columns / duration);
                levels[column] = double.MaxNumber(levels[column], sample.Latency * (double)source.UnitNanoseconds);
            }
        }

        TimePlot.Line[] lines = [.. cpus.Select(cpu => new TimePlot.Line(Invariant($"CPU {cpu}"), largest[cpu]!))];
        return TimePlot.Make(lines, duration / NanosecondsPerSecond, options);
    }
}
