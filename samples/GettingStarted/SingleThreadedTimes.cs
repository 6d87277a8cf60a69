using Picollo.Metrics;

namespace Picollo.Samples;

/// <summary>Measures the time of a record on one thread, for the four ranges of the article that introduced Picollo, and prints it in the
/// article's format next to the article's figures.</summary>
public static class SingleThreadedTimes
{
    /// <summary>Measures and prints the times.</summary>
    /// <param name="rounds">The number of times that all values are recorded in one run.</param>
    /// <param name="valueCount">The number of values.</param>
    public static void Run(int rounds = 10, int valueCount = 1_000_000)
    {
        Console.WriteLine($"Three significant digits, 32-bit counters; best of {RecordTimes.Runs} runs. Other programs can make a run slower.");
        Console.WriteLine("Article: Picollo 0.1 and the HdrHistogram library for .NET (legacy, not measured by this program); i5-12500 at 3 GHz.");
        foreach (SingleThreadedFigures article in SingleThreadedFigures.All)
        {
            ulong[] values = RecordTimes.SkewedValues(article.MaxTrackableValue, valueCount);
            var factory = HdrHistogram.Factory.WithSignificantDigits(3).WithMaxTrackableValue(article.MaxTrackableValue);

            RecordTimes.RecordAll(factory.Create(), values); // warm-up with a histogram that is not measured
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
