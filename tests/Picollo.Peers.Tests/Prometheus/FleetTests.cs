using Picollo.Metrics;
using Xunit.Abstractions;
using static System.FormattableString;

namespace Picollo.Peers.Tests.Prometheus;

/// <summary>Prometheus scrapes three processes. Its quantiles must be those of all their values.</summary>
[Trait("Category", "Long")]
public class FleetTests(ITestOutputHelper output)
{
    private const string Name = "fleet_latency_seconds";
    private const double NanosecondsPerSecond = 1e9;

    private static readonly double[] Quantiles = [0.5, 0.9, 0.99, 0.999];

    [FactNeeding(Need.Prometheus)]
    public async Task Quantiles_of_a_fleet_equal_those_of_its_merged_histograms()
    {
        const int Batches = 8;
        await using Fleet processes = new();
        await using PrometheusServer prometheus = new(processes.Addresses);

        // All series exist before values are recorded, so that Prometheus sees the whole increase.
        await prometheus.WaitFor($"count_over_time({Name}_count[5m])", 3, 4);
        for (int batch = 0; batch < Batches; batch++)
        {
            await processes.Record(3_000, 2_000, 100);
            await Task.Delay(500);
        }

        HdrHistogram merged = await processes.GetHistogram();
        merged.TotalCount.Should().Be(Batches * 5_100);
        await prometheus.WaitFor($"sum({Name}_count)", 1, merged.TotalCount);
        DateTimeOffset now = DateTimeOffset.UtcNow;
        (await prometheus.QueryAll($"histogram_count({Name})")).Should().BeEmpty("only native histograms have a result");
        await CheckCounts(prometheus, merged, now);
        foreach (double quantile in Quantiles)
        {
            await CheckSums(prometheus, merged, quantile, now);
            await CheckRates(prometheus, merged, quantile, now);
        }
    }

    [FactNeeding(Need.Prometheus)]
    public async Task Quantiles_of_native_histograms_are_within_a_bucket_of_the_merged_histogram()
    {
        const double BucketRatio = 1.0219; // 2^(2^-5)
        await using Fleet processes = new();
        await using PrometheusServer prometheus = new(processes.Addresses, arguments: PrometheusServer.WithNativeHistograms);
        await prometheus.WaitFor($"histogram_count({Name})", 3, 0);
        await processes.Record(30_000, 20_000, 1_000);
        HdrHistogram merged = await processes.GetHistogram();
        await prometheus.WaitFor($"sum(histogram_count({Name}))", 1, merged.TotalCount);

        (await prometheus.Query($"histogram_count(sum({Name}))")).Should().Be(merged.TotalCount);
        (await prometheus.Query($"histogram_sum(sum({Name}))")).Should().BeApproximately(merged.GetSummary().Sum / NanosecondsPerSecond, 1e-6);
        (await prometheus.QueryAll($"{Name}_bucket")).Should().BeEmpty("the classic buckets are not scraped");
        foreach (double quantile in Quantiles)
        {
            double answer = NanosecondsPerSecond * await prometheus.Query(Invariant($"histogram_quantile({quantile}, sum({Name}))"));
            double exact = merged.GetPercentileValue(100 * quantile);
            output.WriteLine($"{quantile}: {answer:N0} ns, exact {exact:N0} ns, {(answer / exact) - 1:P2}");
            (answer / exact).Should().BeInRange(1 / BucketRatio / 1.001, BucketRatio * 1.001);
        }
    }

    private static async Task CheckCounts(PrometheusServer prometheus, HdrHistogram merged, DateTimeOffset now)
    {
        (await prometheus.Query($"sum({Name}_count)", now)).Should().Be(merged.TotalCount);
        (await prometheus.Query($"sum({Name}_sum)", now)).Should().BeApproximately(merged.GetSummary().Sum / NanosecondsPerSecond, 1e-6);
        await prometheus.WaitFor("scrape_samples_scraped", 3, 108); // it is 0 while a scrape takes longer than a second
        (await prometheus.QueryAll("max_over_time(scrape_samples_scraped[5m])")).Should().Equal(108, 108, 108);
        (await prometheus.Query($"count(group by (le) ({Name}_bucket))", now)).Should().Be(106, "all processes have the same bounds");
    }

    /// <summary>The sums of the buckets are the counts of the merged histogram, so the quantile is in the bucket of the exact quantile.</summary>
    private async Task CheckSums(PrometheusServer prometheus, HdrHistogram merged, double quantile, DateTimeOffset now)
    {
        double answer = NanosecondsPerSecond * await prometheus.Query(Invariant($"histogram_quantile({quantile}, sum by (le) ({Name}_bucket))"), now);
        ulong exact = merged.GetPercentileValue(100 * quantile);
        (double low, double high) = CoarseBuckets.Of(exact);
        output.WriteLine($"{quantile}: {answer:N0} ns, exact {exact:N0} ns, {(answer / exact) - 1:P1}");

        // The width of the bucket is at most a quarter of its lower bound, which limits the error of the interpolation of Prometheus.
        answer.Should().BeInRange(low, high);
        (Math.Abs(answer - exact) / exact).Should().BeLessThan(0.25);

        // The answer equals this interpolation exactly.
        ulong below = merged.GetCountBetween(0, (ulong)low);
        double inBucket = merged.GetCountBetween(0, (ulong)high) - below;
        answer.Should().BeApproximately(low + ((high - low) * ((quantile * merged.TotalCount) - below) / inBucket), 1e-6 * answer);
    }

    /// <summary>
    /// The rate of a process is extrapolated from its samples to the end of the window, by up to 1.1 of the interval between them. With n
    /// samples, a process may weigh 1 + 1.1/(n−1) times as much as another. The tail above the result may differ from 1 − q by the same factor.
    /// </summary>
    private async Task CheckRates(PrometheusServer prometheus, HdrHistogram merged, double quantile, DateTimeOffset now)
    {
        double samples = await prometheus.Query($"min(count_over_time({Name}_count[5m]))", now);
        double weight = 1 + (1.1 / (samples - 1));
        double answer = NanosecondsPerSecond * await prometheus.Query(Invariant($"histogram_quantile({quantile}, sum by (le) (rate({Name}_bucket[5m])))"), now);
        (double low, _) = CoarseBuckets.Of(merged.GetPercentileValue(100 * Math.Max(1 - ((1 - quantile) * weight), 0)));
        (_, double high) = CoarseBuckets.Of(merged.GetPercentileValue(100 * (1 - ((1 - quantile) / weight))));
        output.WriteLine($"{quantile} of rates: {answer:N0} ns, in {low:N0} to {high:N0} ns after {samples} samples");

        answer.Should().BeInRange(low, high);
    }
}
