using System.Diagnostics.Metrics;

namespace Picollo.Diagnostics.Tests.Meters;

[Collection(Alone.Name)]
public class MeterAllocationTests
{
    [Fact]
    public void A_measurement_allocates_nothing()
    {
        using Listening listening = new();
        Histogram<double> duration = listening.Meter.CreateHistogram<double>("d", "s");
        Histogram<long> size = listening.Meter.CreateHistogram<long>("size");
        KeyValuePair<string, object?>[][] tags =
        [
            [],
            Listening.Tags(("method", "GET"), ("code", 200)),
            Listening.Tags(("code", 200), ("method", "GET")),
            Listening.Tags(("method", "GET"), ("code", 200), ("route", "/a"), ("tls", true), ("port", 443L)),
            Listening.Tags(("none", null), ("share", 0.5)),
            Listening.Tags(("day", DayOfWeek.Monday)), // compared by its text, which the runtime caches
        ];

        Allocations.InSteadyState(() =>
        {
            foreach (KeyValuePair<string, object?>[] list in tags)
            {
                duration.Record(0.001, list);
                duration.Record(-1, list);
                size.Record(1, list);
            }
        }).Should().Be(0);

        using Listening limited = new(options => options.MaxSeries = 1);
        limited.Record();
        Allocations.InSteadyState(() => limited.Size.Record(1, tags[1])).Should().Be(0, "an overflow allocates nothing");
        limited.Histograms.OverflowSeriesMeasurementCount.Should().BePositive();
    }
}
