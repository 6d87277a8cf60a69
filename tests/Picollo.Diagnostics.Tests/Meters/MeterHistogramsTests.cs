using System.Diagnostics.Metrics;
using System.Runtime.CompilerServices;
using Picollo.Metrics;

namespace Picollo.Diagnostics.Tests.Meters;

public class MeterHistogramsTests
{
    [Fact]
    public void A_measurement_is_in_the_series_of_its_tags()
    {
        using Listening listening = new();
        Histogram<double> duration = listening.Meter.CreateHistogram<double>("request.duration", "s", "How long.");

        duration.Record(0.25);
        duration.Record(0.5, new("route", "/a"), new("code", 200));
        duration.Record(0.5, new("route", "/a"), new("code", 200));
        duration.Record(0.5, new("route", "/b"), new("code", 200));

        listening.Series.Should().Equal(
            "request.duration", "request.duration{code=\"200\",route=\"/a\"}", "request.duration{code=\"200\",route=\"/b\"}");
        listening.Registry.Registrations.Select(one => one.Histogram.TotalCount).Should().Equal(1, 2, 1);
        listening.Registry.Registrations[0].Description.Should().Be(HdrHistogramDescription.Nanoseconds with { Help = "How long." });
        listening.Registry.Registrations[0].Histogram.GetPercentileValue(50).Should().BeInRange(247_500_000, 252_500_000);
        (listening.Histograms.SeriesCount, listening.Histograms.OverflowSeriesMeasurementCount, listening.Histograms.UnavailableReason).Should().Be((3, 0, null));
    }

    [Fact]
    public void Only_histograms_of_the_selected_meters_are_recorded()
    {
        using Listening listening = new();
        using Meter other = new("Other." + listening.Meter.Name);
        using Meter child = new(listening.Meter.Name + ".Child");

        listening.Meter.CreateCounter<int>("counter").Add(1);
        listening.Meter.CreateUpDownCounter<int>("up-down").Add(1);
        listening.Meter.CreateGauge<int>("gauge").Record(1);
        other.CreateHistogram<int>("other").Record(1);
        child.CreateHistogram<int>("child").Record(1);

        listening.Series.Should().Equal("child");
    }

    [Fact]
    public void Existing_instruments_are_recorded_and_later_changes_of_the_options_have_no_effect()
    {
        using Meter meter = new("Test.Before");
        Histogram<int> histogram = meter.CreateHistogram<int>("size");
        histogram.Record(1);
        HdrHistogramRegistry registry = new();
        MeterHistogramsOptions options = new MeterHistogramsOptions().AddMeter("test.before");
        using MeterHistograms histograms = MeterHistograms.Start(registry, options), second = MeterHistograms.Start(registry, options);
        options.MeterNames.Clear();

        histogram.Record(2);
        meter.CreateHistogram<int>("late").Record(1);

        registry.Registrations.Select(one => (one.Name, one.Histogram.TotalCount))
            .Should().Equal([("late", 2), ("size", 2)], "each listener records");
    }

    [Fact]
    public void Instruments_beyond_the_limit_are_ignored_and_counted()
    {
        using Listening listening = new();
        for (int i = 0; i < MeterHistograms.MaxInstruments + 3; i++)
        {
            listening.Meter.CreateHistogram<int>($"instrument-{i}").Record(1);
        }

        listening.Series.Should().HaveCount(MeterHistograms.MaxInstruments);
        listening.Histograms.RefusedInstrumentCount.Should().Be(3);
    }

    [Fact]
    public void Tags_of_the_meter_and_the_instrument_are_labels_and_those_of_a_measurement_take_precedence()
    {
        using Listening listening = new();
        using Meter meter = new(listening.Meter.Name + ".Tagged", null, [new("tenant", "a"), new("kind", "meter")]);

        meter.CreateHistogram<int>("size", null, null, [new("kind", "instrument")]).Record(1, new KeyValuePair<string, object?>("route", "/"));
        meter.CreateHistogram<int>("time").Record(1, new KeyValuePair<string, object?>("kind", "measurement"));

        listening.Series.Should().Equal("size{kind=\"instrument\",route=\"/\",tenant=\"a\"}", "time{kind=\"measurement\",tenant=\"a\"}");
    }

    [Fact]
    public void After_dispose_nothing_is_recorded_and_the_counts_remain()
    {
        using Listening listening = new();
        listening.Record();
        listening.Only.Histogram.Dispose();
        listening.Record();
        listening.Only.Histogram.TotalCount.Should().Be(2, "disposing the histogram has no effect");

        listening.Histograms.Dispose();
        listening.Histograms.Dispose();
        listening.Record();
        listening.Meter.CreateHistogram<int>("late").Record(1);

        listening.Size.Enabled.Should().BeFalse();
        listening.Only.Histogram.TotalCount.Should().Be(2);
    }

    [Fact]
    public void The_same_instrument_of_two_meters_shares_its_series_unless_its_unit_differs()
    {
        using Listening listening = new();
        using Meter other = new(listening.Meter.Name + ".Other");
        listening.Meter.CreateHistogram<double>("wait", "s", "One.").Record(1);
        other.CreateHistogram<double>("wait", "ms", "Two.").Record(1000);
        listening.Only.Histogram.TotalCount.Should().Be(2, "both are recorded in nanoseconds");
        listening.Only.Description.Help.Should().Be("One.");

        other.CreateHistogram<int>("wait", "By").Record(1);
        other.CreateHistogram<int>("wait", "By").Record(1, new KeyValuePair<string, object?>("a", 1));
        listening.Series.Should().Equal($"{other.Name}.wait", $"{other.Name}.wait{{a=\"1\"}}", "wait");
    }

    [Fact]
    public void A_registered_histogram_of_another_kind_is_not_changed()
    {
        HdrHistogramRegistry registry = new();
        PlainHdrHistogram<uint> own = HdrHistogram.Create();
        registry.Add("size", own);
        using Listening listening = new(registry: registry);

        listening.Meter.CreateHistogram<int>("size").Record(1);

        own.TotalCount.Should().Be(0);
        listening.CountOf(listening.Meter.Name + ".size").Should().Be(1);
    }

    [Fact]
    public void A_disposed_histogram_of_the_application_under_the_name_does_not_throw()
    {
        HdrHistogramRegistry registry = new();
        using Listening listening = new(registry: registry);
        var own = registry.GetOrAdd("size", () => HdrHistogram.Factory.WithThreadLocal().Create());
        listening.Record();
        own.TotalCount.Should().Be(1, "it has the same variant and unit");
        own.Dispose();

        listening.Record();

        registry.Registrations.Should().ContainSingle();
    }

    [Fact]
    public void Names_can_be_empty()
    {
        using Listening listening = new(options => options.AddMeter("*"));
        using Meter meter = new("");

        meter.CreateHistogram<int>("").Record(1);

        listening.Series.Should().Contain(".");
    }

    [Fact]
    public void Invalid_options_are_rejected()
    {
        MeterHistogramsOptions options = new();

        options.Invoking(one => one.AddMeter("a", " ")).Should().Throw<ArgumentException>();
        options.Invoking(one => one.AddMeter("a", null!)).Should().Throw<ArgumentException>();
        options.Invoking(one => one.MaxSeries = 0).Should().Throw<ArgumentOutOfRangeException>();
        options.Invoking(one => one.MaxSeries = 100_001).Should().Throw<ArgumentOutOfRangeException>();
        options.MeterNames.Should().BeEmpty("a call that throws adds nothing");
        foreach (double scale in new[] { 0, -1, double.NaN, double.PositiveInfinity, 1e31 })
        {
            options.Scales["a"] = scale;
            FluentActions.Invoking(() => MeterHistograms.Start(new(), options)).Should().Throw<ArgumentOutOfRangeException>()
                .WithParameterName(nameof(options.Scales)).WithMessage("*of a must be from 1E-30 to 1E+30*");
        }

        options.Scales.Clear();
        options.MeterNames.Add("");
        FluentActions.Invoking(() => MeterHistograms.Start(new(), options)).Should().Throw<ArgumentException>().WithParameterName(nameof(options.MeterNames));
        FluentActions.Invoking(() => MeterHistograms.Start(null!, new())).Should().Throw<ArgumentNullException>();
        FluentActions.Invoking(() => MeterHistograms.Start(new(), null!)).Should().Throw<ArgumentNullException>();
    }

    [Fact]
    public void Excluded_instruments_are_no_longer_recorded()
    {
        using Listening listening = new(options => options.IsExcluded = instrument => instrument.Name == "first");
        listening.Record();

        listening.Histograms.Exclude(instrument => instrument.Name == "size");
        listening.Record();
        foreach (string name in (string[])["first", "size", "third"])
        {
            listening.Meter.CreateHistogram<int>(name).Record(1);
        }

        listening.Registry.Registrations.Select(one => (one.Name, one.Histogram.TotalCount)).Should().Equal(("size", 1), ("third", 1));
    }

    [Fact]
    public void An_instrument_that_is_published_during_the_disposal_is_not_recorded()
    {
        MeterHistograms? histograms = null;
        using Listening listening = new(options => options.IsExcluded = _ =>
        {
            histograms!.Dispose();
            return false;
        });
        histograms = listening.Histograms;

        listening.Meter.CreateHistogram<int>("late").Enabled.Should().BeFalse();
    }

    [Fact]
    public void An_instrument_that_is_excluded_while_it_is_published_is_not_recorded()
    {
        int calls = 0;
        using Listening listening = new(options => options.IsExcluded = _ => ++calls > 1);

        listening.Size.Enabled.Should().BeFalse();
    }

    [Fact]
    public void Instruments_of_one_meter_and_name_have_the_scale_of_their_own_unit_and_type_and_their_own_tags()
    {
        using Listening listening = new();
        listening.Meter.CreateHistogram<double>("wait", "s").Record(1);
        listening.Meter.CreateHistogram<double>("wait", "ms").Record(1000);
        listening.Only.Histogram.GetBucket(1_000_000_000).Count.Should().Be(2);

        listening.Meter.CreateHistogram<double>("wait", "s", null, [new("a", "b")]).Record(1);
        listening.Meter.CreateHistogram<int>("items").Record(1);
        listening.Meter.CreateHistogram<double>("items").Record(1);
        listening.Series.Should().Equal($"{listening.Meter.Name}.items", "items", "wait", "wait{a=\"b\"}");
    }

    [Fact]
    public void Instruments_of_disposed_meters_are_not_kept_alive()
    {
        using Listening listening = new();
        WeakReference[] instruments = Measure(listening.Meter.Name);
        GC.Collect();

        instruments.Should().OnlyContain(instrument => !instrument.IsAlive);
        listening.Only.Histogram.TotalCount.Should().Be(5_000, "instruments with the same name share a series");
        (listening.Histograms.SeriesCount, listening.Histograms.RefusedInstrumentCount).Should().Be((1, 0));

        [MethodImpl(MethodImplOptions.NoInlining)]
        static WeakReference[] Measure(string name) => [.. Enumerable.Range(0, 5_000).Select(_ =>
        {
            using Meter meter = new(name);
            Histogram<int> instrument = meter.CreateHistogram<int>("size");
            instrument.Record(1);
            return new WeakReference(instrument);
        })];
    }
}
