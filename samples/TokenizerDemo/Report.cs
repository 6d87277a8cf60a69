using System.Diagnostics;
using System.Runtime.InteropServices;
using Picollo.Metrics;

namespace Picollo.Samples.Tokenizer;

/// <summary>Prints what the demo has measured, in about 80 columns.</summary>
/// <param name="corpus">The text.</param>
/// <param name="threads">How many threads shared it.</param>
/// <param name="rounds">How many passes of each kind there were.</param>
/// <param name="output">Where to.</param>
public sealed class Report(Corpus corpus, int threads, int rounds, TextWriter output)
{
    private const double BytesPerMegabyte = 1e6;

    /// <summary>The CPUs that are busy in a pass: threads beyond them wait for their turn.</summary>
    private readonly int _busyCpus = Math.Min(threads, Environment.ProcessorCount);

    public void PrintHead()
    {
        output.WriteLine("Picollo: what does a line cost?");
        output.WriteLine();
        output.WriteLine($"Machine  {Environment.ProcessorCount} CPUs, {RuntimeInformation.ProcessArchitecture}, {RuntimeInformation.OSDescription}");
        output.WriteLine($"Runtime  {RuntimeInformation.FrameworkDescription}");
        output.WriteLine($"Clock    Stopwatch at {Stopwatch.Frequency:N0} ticks a second");
        output.WriteLine($"Text     {corpus.Lines.Length:N0} lines, {corpus.Bytes / BytesPerMegabyte:N1} MB, {corpus.FileCount:N0} files of documentation");
        output.WriteLine($"         from {corpus.Folder}");
        output.WriteLine($"Work     {threads} threads; {rounds} rounds with a scope around every line and {rounds} without,");
        output.WriteLine("         in turn, after a warm-up");
        output.WriteLine();
    }

    public void PrintCounts(TokenCounts counts, Implementation before, Implementation after)
    {
        output.WriteLine($"'{before.Name}' and '{after.Name}' count the same: {counts.TotalCount:N0} tokens, {counts.DistinctCount:N0} of them distinct,");
        output.WriteLine($"most often {string.Join(", ", counts.MostFrequent(4).Select(pair => $"'{pair.Key}' {pair.Value:N0}"))}.");
        output.WriteLine();
    }

    public void PrintLines(Implementation before, Implementation after)
    {
        HdrHistogramSummary summaryBefore = before.LineNanoseconds.GetSummary();
        HdrHistogramSummary summaryAfter = after.LineNanoseconds.GetSummary();
        summaryBefore.PrettyPrint(output, $"A line with '{before.Name}', ns");
        summaryAfter.PrettyPrint(output, $"A line with '{after.Name}', ns");
        summaryBefore.PrettyPrintDiff(output, summaryAfter, "A line before and after, ns", before.Name, after.Name);
        output.WriteLine("The D-value is the difference of the means in standard deviations: rare long lines");
        output.WriteLine("and pauses widen those, so it is small where only the middle has moved.");
        output.WriteLine();
    }

    public void PrintThroughput(Implementation before, Implementation after)
    {
        output.WriteLine("##### Throughput of all threads, without scopes, median of the rounds");
        output.WriteLine("| Implementation |   MB/s |    lines/s | bytes allocated per line |");
        output.WriteLine("| :------------- | -----: | ---------: | -----------------------: |");
        foreach (Implementation implementation in new[] { before, after })
        {
            double seconds = Median(implementation.BarePasses) / 1e9;
            output.WriteLine(
                $"| {implementation.Name,-14} | {corpus.Bytes / BytesPerMegabyte / seconds,6:N1} | {corpus.Lines.Length / seconds,10:N0} " +
                $"| {implementation.AllocatedBytes / (double)corpus.Lines.Length,24:N1} |");
        }

        output.WriteLine();
    }

    /// <summary>Prints what the scopes cost.</summary>
    /// <param name="emptyScopeNanoseconds">The cost of a scope by itself.</param>
    /// <param name="implementations">The implementations.</param>
    public void PrintCost(double emptyScopeNanoseconds, params Implementation[] implementations)
    {
        output.WriteLine("##### What the measuring costs, ns of a thread per line");
        output.WriteLine("| Implementation, of the rounds | without scopes | with scopes |   cost | of run |");
        output.WriteLine("| :---------------------------- | -------------: | ----------: | -----: | -----: |");
        foreach (Implementation implementation in implementations)
        {
            PrintCost($"{implementation.Name}, median", Median(implementation.BarePasses), Median(implementation.TimedPasses));
            PrintCost($"{implementation.Name}, minimum", implementation.BarePasses.Min(), implementation.TimedPasses.Min());
        }

        output.WriteLine();
        double unrest = implementations.Max(implementation => MedianDeviation(implementation.BarePasses));
        output.WriteLine($"An empty scope takes {emptyScopeNanoseconds:N1} ns here. Rounds of one kind are {unrest * 100:N1}% from their median, at");
        output.WriteLine("the median: what the machine does by itself, and how far to trust a cost.");
    }

    private void PrintCost(string what, double barePass, double timedPass)
    {
        double bare = PerLine(barePass);
        double timed = PerLine(timedPass);
        output.WriteLine(
            $"| {what,-29} | {bare,14:N1} | {timed,11:N1} | {timed - bare,6:+0.0;-0.0;0.0} | {(timed - bare) / bare * 100,5:+0.0;-0.0;0.0}% |");
    }

    private double PerLine(double passNanoseconds) => passNanoseconds * _busyCpus / corpus.Lines.Length;

    private static double Median(IEnumerable<double> values)
    {
        double[] sorted = [.. values.Order()];
        return (sorted[(sorted.Length - 1) / 2] + sorted[sorted.Length / 2]) / 2;
    }

    /// <summary>The median distance from the median, as a share of it.</summary>
    private static double MedianDeviation(List<double> values)
    {
        double median = Median(values);
        return Median(values.Select(value => Math.Abs(value - median))) / median;
    }
}
