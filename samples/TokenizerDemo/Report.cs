using System.Diagnostics;
using System.Runtime.InteropServices;
using Picollo.Metrics;
using Picollo.Timing;

namespace Picollo.Samples.Tokenizer;

/// <summary>Prints the results of the demo, in about 80 columns.</summary>
/// <param name="corpus">The text.</param>
/// <param name="threads">The number of threads that shared the text.</param>
/// <param name="rounds">The number of passes of each kind.</param>
/// <param name="output">The writer for the report.</param>
public sealed class Report(Corpus corpus, int threads, int rounds, TextWriter output)
{
    private const double BytesPerMegabyte = 1e6;

    /// <summary>The number of busy CPUs in a pass. If there are more threads than CPUs, threads wait for a CPU.</summary>
    private readonly int _busyCpus = Math.Min(threads, Environment.ProcessorCount);

    public void PrintHead()
    {
        output.WriteLine("Picollo: the time to tokenize a line");
        output.WriteLine();
        output.WriteLine($"Machine  {Environment.ProcessorCount} CPUs, {RuntimeInformation.ProcessArchitecture}, {RuntimeInformation.OSDescription}");
        output.WriteLine($"Runtime  {RuntimeInformation.FrameworkDescription}");
        output.WriteLine($"Clock    Stopwatch: {Stopwatch.Frequency:N0} ticks per second;");
        output.WriteLine(CycleClock.IsCycleCounter
            ? $"         CPU time counter: {CycleClock.Frequency:N0} per second"
            : $"         CPU time counter: not used: {CycleClock.UnavailableReason}");
        output.WriteLine($"Text     {corpus.Lines.Length:N0} lines, {corpus.Bytes / BytesPerMegabyte:N1} MB, {corpus.FileCount:N0} documentation files");
        output.WriteLine($"         from {corpus.Folder}");
        output.WriteLine($"Work     {threads} threads; {rounds} rounds with a scope around every line and {rounds} without,");
        output.WriteLine("         alternating, after a warm-up");
        output.WriteLine();
    }

    public void PrintCounts(TokenCounts counts, Implementation before, Implementation after)
    {
        output.WriteLine($"'{before.Name}' and '{after.Name}' agree: {counts.TotalCount:N0} tokens, {counts.DistinctCount:N0} distinct.");
        output.WriteLine($"Most frequent: {string.Join(", ", counts.MostFrequent(4).Select(pair => $"'{pair.Key}' {pair.Value:N0}"))}.");
        output.WriteLine();
    }

    public void PrintLines(Implementation before, Implementation after)
    {
        HdrHistogramSummary summaryBefore = before.LineNanoseconds.GetSummary();
        HdrHistogramSummary summaryAfter = after.LineNanoseconds.GetSummary();
        output.WriteLine(summaryBefore.ToTable(title: $"Time of a line with '{before.Name}', ns"));
        output.WriteLine(summaryAfter.ToTable(title: $"Time of a line with '{after.Name}', ns"));
        const string Title = "Time of a line, before and after, ns";
        output.WriteLine(summaryBefore.ToDiffTable(summaryAfter, title: Title, thisName: before.Name, otherName: after.Name));
        ulong limit = Math.Max(summaryBefore.P999.Value, 1);
        double effectSize = UpTo(limit, before).GetEffectSize(UpTo(limit, after));
        output.WriteLine("The D-value is the difference of the means, divided by the standard deviation, which pauses of the");
        output.WriteLine($"machine increase. For lines that took at most {limit:N0} ns (p99.9 of '{before.Name}'), the D-value is {effectSize:N2}.");
        output.WriteLine();
    }

    /// <summary>Returns the summary of the lines that took at most the given number of nanoseconds.</summary>
    private static HdrHistogramSummary UpTo(ulong limit, Implementation implementation)
    {
        using var histogram = HdrHistogram.Factory.WithRelativeError(0.01).WithMaxTrackableValue(limit).Create();
        histogram.Add(implementation.LineNanoseconds); // values above the limit are counted as overflow
        return histogram.GetSummary();
    }

    public void PrintThroughput(Implementation before, Implementation after)
    {
        output.WriteLine("##### Throughput of all threads without scopes, median round");
        output.WriteLine("| Implementation |   MB/s |    lines/s | bytes allocated per line |");
        output.WriteLine("| :------------- | -----: | ---------: | -----------------------: |");
        foreach (Implementation implementation in new[] { before, after })
        {
            double seconds = implementation.Bare.Median / 1e9;
            output.WriteLine(
                $"| {implementation.Name,-14} | {corpus.Bytes / BytesPerMegabyte / seconds,6:N1} | {corpus.Lines.Length / seconds,10:N0} " +
                $"| {implementation.AllocatedBytes / (double)corpus.Lines.Length,24:N1} |");
        }

        output.WriteLine();
    }

    /// <summary>Prints the cost of the scopes.</summary>
    /// <param name="nanoScopeNanoseconds">The cost of an empty <see cref="NanoScope"/>, in nanoseconds.</param>
    /// <param name="picoScopeNanoseconds">The cost of an empty <see cref="PicoScope"/>, in nanoseconds.</param>
    /// <param name="implementations">The implementations.</param>
    public void PrintCost(double nanoScopeNanoseconds, double picoScopeNanoseconds, params Implementation[] implementations)
    {
        output.WriteLine("##### Measurement overhead, ns of a thread per line");
        output.WriteLine("| Implementation        | without scopes | with scopes |   cost | of run |");
        output.WriteLine("| :-------------------- | -------------: | ----------: | -----: | -----: |");
        foreach (Implementation implementation in implementations)
        {
            (PassTimes bare, PassTimes timed) = (implementation.Bare, implementation.Timed);
            PrintCost($"{implementation.Name}, median round", bare.Median * _busyCpus, timed.Median * _busyCpus);
            PrintCost($"{implementation.Name}, fastest round", bare.Minimum * _busyCpus, timed.Minimum * _busyCpus);
            PrintCost($"{implementation.Name}, undisturbed", bare.SumOfFastestChunks, timed.SumOfFastestChunks);
        }

        output.WriteLine();
        output.WriteLine($"Undisturbed: the sum of the fastest time of each block of {Pass.ChunkLines:N0} lines. The median deviation of the rounds");
        output.WriteLine($"from their median is {implementations.Max(one => one.Bare.RelativeDeviation) * 100:N1}%, which is the noise of the machine.");
        output.WriteLine("If a cost is below the noise, use the undisturbed rows.");
        output.WriteLine($"On this machine, an empty NanoScope takes {nanoScopeNanoseconds:N1} ns, and an empty PicoScope {picoScopeNanoseconds:N1} ns.");
    }

    private void PrintCost(string name, double bareNanoseconds, double timedNanoseconds)
    {
        double bare = bareNanoseconds / corpus.Lines.Length;
        double timed = timedNanoseconds / corpus.Lines.Length;
        output.WriteLine(
            $"| {name,-21} | {bare,14:N1} | {timed,11:N1} | {timed - bare,6:+0.0;-0.0;0.0} | {(timed - bare) / bare * 100,5:+0.0;-0.0;0.0}% |");
    }
}
