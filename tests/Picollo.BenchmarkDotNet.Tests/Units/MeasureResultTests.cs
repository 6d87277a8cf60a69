using Picollo.BenchmarkDotNet.Measures;
using Picollo.Export;
using Picollo.Metrics;

namespace Picollo.BenchmarkDotNet.Tests.Units;

public class MeasureResultTests
{
    private static readonly DateTime Start = new(2026, 11, 23, 1, 0, 0, DateTimeKind.Utc);

    [Fact]
    public void Several_launches_are_merged_to_means_and_all_single_calls()
    {
        MeasureResult all = MeasureResult.FromLaunches(
        [
            new([new("one", 1), new("two", 5)], ["Not counted: three"], new(10, 2, 20, 1, null), Times(Start, 100, 200)),
            new([new("one", 2, IsScaled: true)], ["Not counted: three", "Not counted: two"], new(20, 4, 40, 3, null), Times(Start.AddHours(1), 300)),
        ]);

        all.Counters.Should().Equal(new CountedEvents("one", 1.5, IsScaled: true), new CountedEvents("two", 5));
        all.Unavailable.Should().Equal("Not counted: three", "Not counted: two");
        all.Cpu.Should().Be(new CpuPerOperation(15, 3, 30, 2, null));
        all.Invocations!.StartTimeUtc.Should().Be(Start);
        all.Invocations.EndTimeUtc.Should().Be(Start.AddHours(1).AddSeconds(1));
        HdrHistogramEncoding.Decode(all.Invocations.Nanoseconds).GetSummary().Should().Match<HdrHistogramSummary>(
            summary => summary.TotalCount == 3 && summary.Mean == 200 && summary.P100.Value == 300);
    }

    [Fact]
    public void A_value_that_one_launch_lacks_is_null()
    {
        CpuPerOperation measured = new(10, 2, 20, 1, 1);

        MeasureResult.FromLaunches([new([], [], measured, null), new([], [], measured with { WallNanoseconds = null }, null)])
            .Cpu.Should().Be(measured with { WallNanoseconds = null });
        MeasureResult.FromLaunches([new([], [], null, null), new([], [], measured, Times(Start, 5))]).Should().Match<MeasureResult>(
            all => all.Cpu == measured && all.Invocations != null);
        MeasureResult.FromLaunches([new([], [], null, null), new([], [], null, null)]).Should().Match<MeasureResult>(all => all.Cpu == null && all.Invocations == null);
    }

    private static InvocationTimes Times(DateTime start, params ulong[] nanoseconds)
    {
        HdrHistogram histogram = HdrHistogram.Create();
        histogram.Record(nanoseconds);
        return new(HdrHistogramEncoding.Encode(histogram), 1, start, start.AddSeconds(1));
    }
}
