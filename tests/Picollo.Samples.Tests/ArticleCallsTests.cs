using System.Diagnostics;
using Picollo.Metrics;
using Picollo.PerfEvent;

namespace Picollo.Samples.Tests;

/// <summary>
/// The calls of the article, with the same argument types, conversions, names and namespaces. The tests ensure that they compile,
/// and check results that the article shows.
/// </summary>
[Collection(ConsoleOutput.Collection)]
public sealed class ArticleCallsTests
{
    private static readonly long MaxValue = 7716549600;

    [Fact]
    public void Histograms_are_created_recorded_and_read()
    {
        var h =
            Picollo.Metrics.HdrHistogram.Factory
                .WithRelativeError(0.01)
                .WithUInt32Storage()
                .WithMinTrackableValue(10000)
                .WithMaxTrackableValue(30000)
                .Create();
        var rng = new Random(0);
        h.Record(20_000 + (ulong)((0.5 - rng.NextDouble()) * 1000 + Math.Pow(rng.NextDouble(), 2) * 5000));
        h.Record(40000);
        h.Record(25000, 3);

        var summary = h.GetSummary();
        $"P99: {summary.P99}".Should().Be("P99: P99=24,960 [83 / 609]: [24,832, 25,088) 3");
        summary.OverflowCount.Should().Be(1);
        h.Reset();
        h.GetSummary(reuseInstance: summary).Should().BeSameAs(summary);
        ConsoleOutput.LinesOf(() => summary.PrettyPrint()).Should().HaveCount(24).And.StartWith("##### Histogram summary");
        ConsoleOutput.Of(() => summary.PrettyPrintDiff(h.GetSummary(), "Getting Started Diff", "Before", "After")).Should().StartWith("##### Getting Started Diff");

        var snapshot = h.GetSnapshot();
        h.Record(20000, 5);
        snapshot.Update(deltas: true);
        snapshot.GetSummary(summary);
        var oneLineSummary = summary.ToString(nameof(Monitoring));
        $"{summary.TimestampUtc:HH:mm:ss.fff} | {oneLineSummary}".Should().Contain(" | Monitoring: Total=5, Overflow=0, Mean=20,096.0, P0=20,096, ");

        ReadOnlySpan<double> ranks = [90.0, 91, 92, 93, 94, 95, 96, 97, 98];
        var percentiles = new Percentile[ranks.Length];
        var percentileValues = new ulong[ranks.Length];
        h.GetPercentiles(ranks, percentiles);
        h.GetPercentileValues(ranks, percentileValues);
        foreach (var rank in ranks)
        {
            h.GetPercentile(rank).Value.Should().Be(h.GetPercentileValue(rank)).And.Be(percentileValues[0]).And.Be(percentiles[0].Value);
        }
    }

    [Fact]
    public void Scopes_record_and_times_are_converted()
    {
        var h = Picollo.Metrics.HdrHistogram.Factory
            .WithMaxTrackableValue(NanoScope.OneSecondValue * 2).Create();

        using (h.GetTickScope())
        using (h.GetNanoScope())
        using (h.GetMicroScope())
        using (h.GetMilliScope())
        {
        }

        (h.TotalCount + h.OverflowCount).Should().Be(4);
        var stopwatch = new Stopwatch();
        stopwatch.ElapsedNanos.Should().Be(0);
        NanoScope.TicksToNanos(stopwatch.ElapsedTicks).Should().Be(0);
        NanoScope.TicksToNanos(Stopwatch.Frequency).Should().Be(NanoScope.OneSecondValue);
    }

    [Fact]
    public void The_benchmark_workload_accepts_any_variant()
    {
        Percentile.DefaultEquivalentValueSelection = EquivalentValueSelection.Midpoint;
        var values = new long[1_000];
        Random random = new Random(42);
        for (int i = 0; i < values.Length; i++)
            values[i] = (long)(Math.Pow(random.NextDouble(), 3) * MaxValue);
        random.Shuffle(values);

        var factory = Picollo.Metrics.HdrHistogram.Factory.WithSignificantDigits(3).WithMaxTrackableValue((ulong)MaxValue);
        Workload(factory.Create(), values).Should().Be(1_000);
        Workload(factory.WithInterlocked().Create(), values).Should().Be(1_000);
        Workload(factory.WithThreadLocal().Create(), values).Should().Be(1_000);

        static ulong Workload(Metrics.HdrHistogram h, long[] values)
        {
            foreach (long value in values)
            {
                h.Record((ulong)value);
            }

            return h.TotalCount;
        }
    }

    [Fact]
    public void A_session_counts_hardware_events_or_names_the_missing_counter()
    {
        // On a machine without these counters, the exception contains the first one that is missing.
        try
        {
            if (!PerfEventCounterSession.TryGetNumberOfCounters(out uint fixedCounters, out uint programmableCounters))
                (fixedCounters + programmableCounters).Should().Be(0);

            var counterSession = PerfEventCounterSession.Factory
                .WithTarget((int)0, -1)
                .WithPinned(true)
                .WithKernel(false)
                .WithEnabled(true)
                .WithFixedCounters()
                .WithHardwareCounter(PerfHardwareCounterId.BranchMisses)
                .WithCacheCounter(PerfCacheCounterId.L1DReadMiss)
                .WithCacheCounter(PerfCacheCounterId.L1IReadMiss)
                .Create();
            counterSession.Counters.Select(counter => counter.Name).Should().Equal(
                "Hardware:Instructions", "Hardware:CpuCycles", "Hardware:RefCpuCycles", "Hardware:BranchMisses",
                "HardwareCache:L1DReadMiss", "HardwareCache:L1IReadMiss");
            counterSession.Dispose();
        }
        catch (MeasurementUnavailableException e) when (OperatingSystem.IsLinux())
        {
            e.Message.Should().MatchRegex(@"^Hardware(Cache)?:[A-Z1]\w*: .*\(perf_event_open: ");
        }
        catch (MeasurementUnavailableException)
        {
            OperatingSystem.IsLinux().Should().BeFalse();
        }
    }
}
