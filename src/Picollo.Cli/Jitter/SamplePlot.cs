using Picollo.Export;
using Picollo.Export.Plots;
using Picollo.Metrics;

namespace Picollo.Cli.Jitter;

/// <summary>Plots saved samples over time: the largest latency of each CPU in each interval.</summary>
internal static class SamplePlot
{
    private const double NanosecondsPerSecond = 1e9;

    /// <summary>The minimum average number of samples per interval and CPU, so that few intervals are empty.</summary>
    private const long SamplesPerColumn = 2;

    /// <summary>Draws the samples. Reads them twice: first for the duration, then for the latencies.</summary>
    /// <param name="unit">The unit; values are in nanoseconds.</param>
    /// <exception cref="CommandException">There are no samples, they are damaged, or the source is not a file.</exception>
    public static HdrHistogramPlot Create(SampleSource source, Terminal terminal, HdrHistogramUnit unit, string title)
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
        return TimePlot.Make(lines, duration / NanosecondsPerSecond, unit, title);
    }
}

/// <summary>Draws the largest value in each of many columns of equal duration. A peak of a single value is therefore visible at any
/// duration.</summary>
internal static class TimePlot
{
    /// <summary>The maximum number of columns that a pointer can select.</summary>
    public const int MaxColumns = 190;

    private const double Height = 240;

    /// <param name="Largest">The largest recorded value of each column; NaN for none.</param>
    public readonly record struct Line(string Name, double[] Largest);

    /// <param name="seconds">The duration of all columns together, above 0.</param>
    public static HdrHistogramPlot Make(IReadOnlyList<Line> all, double seconds, HdrHistogramUnit displayUnit, string title)
    {
        PlotUnit own = new(displayUnit);
        PlotLines lines = new();
        double[] sorted = [.. all.SelectMany(line => line.Largest).Where(double.IsFinite).Order()];
        double[] aboveZero = [.. sorted.SkipWhile(level => level == 0)];
        foreach (Line line in all)
        {
            lines.Add(line.Name, line.Name, [.. line.Largest], isFilled: false);
        }

        (PlotUnit unit, PlotAxis axis, string label) = aboveZero.Length == 0
            ? (own, PlotAxis.Linear(0, 0, 5), own.AxisLabel)
            : PercentilePlot.ValueAxis(own, sorted[0], aboveZero[0], aboveZero[aboveZero.Length / 2], sorted[^1]);
        lines.Divide(unit.Ratio);
        int columns = all[0].Largest.Length;
        double[] edges = [.. Enumerable.Range(0, columns + 1).Select(i => seconds * i / columns)];
        PlotUnit time = new(new() { Name = "s" });
        PlotAxis round = PlotAxis.Linear(0, seconds, 7);
        return HdrHistogramPlot.Compose("largest values over time", [], new(displayUnit, title), new StepChart
        {
            Height = Height,
            X = round with { Max = seconds, Ticks = [.. round.Ticks.Where(tick => tick.Value <= seconds)] },
            Y = axis,
            XLabel = "seconds since the first sample",
            YLabel = $"largest in each {time.Tick(seconds / columns)}, {label}",
            Edges = edges,
            Lines = lines,
            Strips = sorted.Length == 0 ? [] : [.. Enumerable.Range(0, columns).Select(Strip)],
        });

        PlotStrip Strip(int column) => new(
            edges[column],
            edges[column + 1],
            time.Range(edges[column], edges[column + 1]) + string.Concat(
                all.Take(PlotPalette.Count).Where(line => double.IsFinite(line.Largest[column]))
                    .Select(line => $"\n{line.Name}: {own.Format((ulong)line.Largest[column])}")));
    }
}
