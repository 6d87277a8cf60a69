using System.Diagnostics;
using System.Runtime.InteropServices;
using Picollo.Metrics;
using Picollo.Timing;

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
        output.WriteLine($"Clock    Stopwatch at {Stopwatch.Frequency:N0} ticks a second;");
        output.WriteLine(CycleClock.IsCycleCounter
            ? $"         the CPU's cycle counter is in use, at {CycleClock.Frequency:N0} a second"
            : $"         the CPU's cycle counter is not in use: {CycleClock.UnavailableReason}");
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
        summaryBefore.WriteTable(output, new() { Title = $"A line with '{before.Name}', ns" });
        summaryAfter.WriteTable(output, new() { Title = $"A line with '{after.Name}', ns" });
        summaryBefore.WriteDiffTable(
            output, summaryAfter, new() { Title = "A line before and after, ns", Before = before.Name, After = after.Name });
        ulong limit = Math.Max(summaryBefore.P999.Value, 1);
        double effectSize = UpTo(limit, before).GetEffectSize(UpTo(limit, after));
        output.WriteLine("The D-value is the difference of the means in standard deviations. Pauses of the machine");
        output.WriteLine($"widen those: among the lines up to {limit:N0} ns, 99.9% of '{before.Name}', it is {effectSize:N2}.");
        output.WriteLine();
    }

    /// <summary>The summary of the lines that took up to so many nanoseconds.</summary>
    private static HdrHistogramSummary UpTo(ulong limit, Implementation implementation)
    {
        using var histogram = HdrHistogram.Factory.WithRelativeError(0.01).WithMaxTrackableValue(limit).Create();
        histogram.Add(implementation.LineNanoseconds); // what is above the limit is counted as overflow
        return histogram.GetSummary();
    }

    public void PrintThroughput(Implementation before, Implementation after)
    {
        output.WriteLine("##### Throughput of all threads, without scopes, median of the rounds");
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

    /// <summary>Prints what the scopes cost.</summary>
    /// <param name="nanoScopeNanoseconds">The cost of a nano scope by itself.</param>
    /// <param name="picoScopeNanoseconds">The cost of a pico scope by itself.</param>
    /// <param name="implementations">The implementations.</param>
    public void PrintCost(double nanoScopeNanoseconds, double picoScopeNanoseconds, params Implementation[] implementations)
    {
        output.WriteLine("##### What the measuring costs, ns of a thread per line");
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
        output.WriteLine($"Undisturbed: every {Pass.ChunkLines:N0} lines in the round that had them fastest. Rounds of one kind");
        output.WriteLine($"differ from their median by {implementations.Max(one => one.Bare.Unrest) * 100:N1}%, at the median: what the machine does of its own.");
        output.WriteLine("A cost below that is noise; read the undisturbed rows then.");
        output.WriteLine($"By itself, a nano scope takes {nanoScopeNanoseconds:N1} ns here and a pico scope {picoScopeNanoseconds:N1} ns.");
    }

    private void PrintCost(string what, double bareNanoseconds, double timedNanoseconds)
    {
        double bare = bareNanoseconds / corpus.Lines.Length;
        double timed = timedNanoseconds / corpus.Lines.Length;
        output.WriteLine(
            $"| {what,-21} | {bare,14:N1} | {timed,11:N1} | {timed - bare,6:+0.0;-0.0;0.0} | {(timed - bare) / bare * 100,5:+0.0;-0.0;0.0}% |");
    }
}
