using Picollo.Metrics;

namespace Picollo.Samples;

/// <summary>The time of a record on one thread, over the four ranges of the article that introduced Picollo, in the article's lines
/// and next to its figures.</summary>
public static class SingleThreadedTimes
{
    /// <summary>Measures and prints the times.</summary>
    /// <param name="rounds">Number of times that all values are recorded in one run.</param>
    /// <param name="valueCount">Number of values.</param>
    public static void Run(int rounds = 10, int valueCount = 1_000_000)
    {
        Console.WriteLine($"Three significant digits, 32-bit counters; the best of {RecordTimes.Runs} runs. Other programs make a run slower.");
        Console.WriteLine("Article: Picollo 0.1, and HdrHistogram of .NET (legacy), which is not measured here; i5-12500 at 3 GHz.");
        foreach (SingleThreadedFigures article in SingleThreadedFigures.All)
        {
            ulong[] values = RecordTimes.SkewedValues(article.MaxTrackableValue, valueCount);
            var factory = HdrHistogram.Factory.WithSignificantDigits(3).WithMaxTrackableValue(article.MaxTrackableValue);

            RecordTimes.RecordAll(factory.Create(), values); // compiled and warm, without a trace in what is measured
            var histogram = factory.Create();
            Figure picollo = RecordTimes.Best(
                histogram, threads: 1, rounds, values.Length, () => RecordTimes.RecordAll(histogram, values));

            Console.WriteLine();
            Console.WriteLine($"Max trackable: {article.Maximum}");
            Console.WriteLine($"- Picollo: {Line(picollo)}");
            Console.WriteLine($"- Picollo, article: {Line(article.Picollo)}");
            Console.WriteLine($"- Legacy, article: {Line(article.Legacy)}");
        }
    }

    private static string Line(Figure figure) => $"footprint {figure.Bytes:N0}, best time: {figure.Nanoseconds:N1} ns/ops";
}
