using System.Buffers;
using System.Text;
using Picollo.Metrics;
using Picollo.PerfEvent;

namespace Picollo.Samples.Tests.Guides;

/// <summary>Runs the programs of docs/migrating.md.</summary>
[Collection(ConsoleOutput.Collection)]
public sealed class MigratingGuideTests
{
    [Fact]
    public void A_factory_of_any_variant_can_be_selected_at_run_time()
    {
        MigratingGuide.Version01(threads: 2).Should().BeOfType<ThreadLocalHdrHistogram<uint>>();
        MigratingGuide.Version01(threads: 1).Should().BeOfType<PlainHdrHistogram<ulong>>();
    }

    [Fact]
    public void A_session_counts_after_it_is_enabled()
    {
        if (PerfEventCounterSession.IsSupported)
        {
            MigratingGuide.Version01Counters().Should().BePositive();
        }
        else
        {
            FluentActions.Invoking(MigratingGuide.Version01Counters).Should().Throw<MeasurementUnavailableException>();
        }
    }

    [Fact]
    public void Ticks_are_printed_in_milliseconds()
    {
        HdrHistogram? requests = null;
        string[] lines = ConsoleOutput.LinesOf(() => requests = MigratingGuide.FromHdrHistogram());
        requests!.RelativeError.Should().BeLessThanOrEqualTo(0.0005);
        lines[0].Split(' ', StringSplitOptions.RemoveEmptyEntries).Should().Equal("Value", "Percentile", "TotalCount", "1/(1-Percentile)");
    }

    [Fact]
    public void The_switches_of_a_flow_are_listed()
    {
        string[] lines = ConsoleOutput.LinesOf(() => MigratingGuide.FromUniverse().GetAwaiter().GetResult());
        lines[0].Should().StartWith("CPU Usage: ");
        lines[1].Should().Contain("the import");
    }

    [Fact]
    public void The_histogram_is_exported_with_its_labels()
    {
        ArrayBufferWriter<byte> output = new();
        MigratingGuide.FromPrometheusNet(output).Registrations.Should().ContainSingle();
        Encoding.UTF8.GetString(output.WrittenSpan).Should()
            .Contain("# HELP myapp_login_duration_seconds Duration of logins.")
            .And.Contain("myapp_login_duration_seconds_count{provider=\"local\"} 1");
    }

    /// <summary>Tests rows of the table "These calls compile, but behave differently".</summary>
    [Fact]
    public void Calls_with_different_behavior_behave_as_documented()
    {
        HdrHistogram.Factory.WithInterlocked().WithThreadLocal().Create().Should().BeOfType<ThreadLocalHdrHistogram<uint>>();
        HdrHistogram.Factory.WithThreadLocal(true, TimeSpan.FromSeconds(1)).WithInterlocked(true).Create().Should().BeOfType<InterlockedHdrHistogram<uint>>();
        HdrHistogram.Create().Should().BeOfType<PlainHdrHistogram<uint>>();
        HdrHistogram.Factory.WithRelativeError(0.056).Create().RelativeError.Should().Be(0.03125);
        FluentActions.Invoking(() => HdrHistogram.Factory.WithRelativeError(0.2)).Should().Throw<ArgumentOutOfRangeException>();
        FluentActions.Invoking(() => HdrHistogram.Factory.WithMinTrackableValue(2).WithMaxTrackableValue(1).Create()).Should().Throw<ArgumentException>();

        PlainHdrHistogram<uint> histogram = HdrHistogram.Create();
        HdrHistogramSummary empty = histogram.GetSummary();
        (empty.Mean, empty.StDev).Should().Be((0, 0));
        histogram.Record(1);
        histogram.BucketPercentilesWithValues.Single().Rank.Should().Be(50);

        IEnumerator<Bucket> buckets = histogram.Buckets.GetEnumerator();
        buckets.Dispose();
        buckets.MoveNext().Should().BeFalse();

        histogram.Reset();
        for (ulong value = 1; value <= 1_000; value++)
        {
            histogram.Record(value);
        }

        histogram.GetPercentile(99.9).TargetCount.Should().Be(999);
        histogram.Dispose();
        histogram.GetNanoScope().Dispose();
        FluentActions.Invoking(() => histogram.TotalCount).Should().Throw<ObjectDisposedException>();
        FluentActions.Invoking(() => histogram.Record(1)).Should().Throw<ObjectDisposedException>();
    }
}
