using System.Globalization;

namespace Picollo.Benchmarks.Jitter;

/// <summary><c>compare jitter</c>: measures wake-up latencies with Picollo, jitterdebugger and cyclictest, one after another in changing order,
/// without and with a load on every CPU, in less than three minutes.</summary>
internal static class JitterComparison
{
    public const string Name = "jitter";

    private const int Rounds = 5;
    private const int OrderSeed = 42;

    // Differences below the larger of these limits are accepted.
    private const double AgreementShare = 0.2;
    private const double AgreementMicroseconds = 3;

    public static int Run(TextWriter output)
    {
        if (!OperatingSystem.IsLinux())
        {
            Console.Error.WriteLine("error: this comparison requires Linux");
            return 1;
        }

        MachineInfo.Print(output);
        Compare(output, "without load", judgesP99: true);
        using (Process load = Process.Start("stress-ng", ["--quiet", "--cpu", Environment.ProcessorCount.ToString(CultureInfo.InvariantCulture)]))
        {
            try
            {
                Compare(output, "stress-ng --cpu", judgesP99: false);
            }
            finally
            {
                load.Kill(entireProcessTree: true);
                load.WaitForExit();
            }
        }

        foreach (string limit in JitterContenders.Limits)
        {
            output.WriteLine($"limitation: {limit}");
        }

        return 0;
    }

    private static void Compare(TextWriter output, string state, bool judgesP99)
    {
        string[] names = [.. JitterContenders.All.Keys];
        Dictionary<string, List<HdrHistogramSummary>> runs = names.ToDictionary(name => name, _ => new List<HdrHistogramSummary>());
        Random random = new(OrderSeed);
        for (int round = 0; round < Rounds; round++)
        {
            Progress.Show("Round", round, Rounds);
            random.Shuffle(names);
            foreach (string name in names)
            {
                runs[name].Add(JitterContenders.All[name]().GetSummary());
            }
        }

        Progress.Clear();
        TextTable table = new($"Wake-up latency, µs, {state}", "wake-ups", "p50", "range of rounds", "p99", "range of rounds", "max", "p50 difference", "p99 difference");
        List<HdrHistogramSummary> own = runs[JitterContenders.All.Keys.First()];
        foreach ((string name, List<HdrHistogramSummary> of) in JitterContenders.All.Keys.Select(name => (name, runs[name])))
        {
            double[] p50 = Sorted(of, summary => summary.P50.Value), p99 = Sorted(of, summary => summary.P99.Value);
            table.Add(
                name,
                of.Sum(summary => (long)summary.TotalCount).ToString("N0", CultureInfo.InvariantCulture),
                Text(Median(p50)), $"{Text(p50[0])} to {Text(p50[^1])}",
                Text(Median(p99)), $"{Text(p99[0])} to {Text(p99[^1])}",
                Text(of.Max(summary => summary.P100.Value) / 1e3),
                of == own ? string.Empty : Difference(Median(Sorted(own, summary => summary.P50.Value)), Median(p50), isJudged: true),
                of == own ? string.Empty : Difference(Median(Sorted(own, summary => summary.P99.Value)), Median(p99), judgesP99));
        }

        table.Print(output);
    }

    private static string Difference(double own, double other, bool isJudged)
    {
        double difference = own - other, limit = Math.Max(AgreementShare * other, AgreementMicroseconds);
        string text = difference.ToString("+0.0;-0.0;0.0", CultureInfo.InvariantCulture);
        return !isJudged ? text : Math.Abs(difference) <= limit ? $"{text} ok" : $"{text} MISSED (limit {Text(limit)})";
    }

    private static double[] Sorted(IEnumerable<HdrHistogramSummary> runs, Func<HdrHistogramSummary, ulong> nanoseconds) =>
        [.. runs.Select(run => nanoseconds(run) / 1e3).Order()];

    private static double Median(double[] sorted) => sorted[sorted.Length / 2];

    private static string Text(double microseconds) => microseconds.ToString("#,0.0", CultureInfo.InvariantCulture);
}
