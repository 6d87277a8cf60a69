using System.Diagnostics.Metrics;
using FsCheck;
using FsCheck.Fluent;
using Picollo.Metrics;

namespace Picollo.Diagnostics.Tests.Meters;

public class ConversionTests
{
    private const double Precision = 0.01;

    [Theory]
    [InlineData("s", 0.002, 2_000_000, "seconds", 1e9)]
    [InlineData("ms", 2, 2_000_000, "seconds", 1e9)]
    [InlineData("us", 2, 2_000, "seconds", 1e9)]
    [InlineData("µs", 2, 2_000, "seconds", 1e9)]
    [InlineData("ns", 2, 2, "seconds", 1e9)]
    [InlineData("min", 2, 120_000_000_000, "seconds", 1e9)]
    [InlineData("h", 1, 3_600_000_000_000, "seconds", 1e9)]
    [InlineData("d", 1, 86_400_000_000_000, "seconds", 1e9)]
    [InlineData("By", 2, 2, "bytes", 1)]
    [InlineData("kBy", 2, 2000, "bytes", 1)]
    [InlineData("KiBy", 2, 2048, "bytes", 1)]
    [InlineData("MiBy", 1, 1 << 20, "bytes", 1)]
    [InlineData("KBy", 2, 2000, "bytes", 1)]
    [InlineData("MBy", 2, 2_000_000, "bytes", 1)]
    [InlineData("GBy", 2, 2_000_000_000, "bytes", 1)]
    [InlineData("TBy", 2, 2_000_000_000_000, "bytes", 1)]
    [InlineData("GiBy", 2, 2_147_483_648, "bytes", 1)]
    [InlineData("TiBy", 2, 2_199_023_255_552, "bytes", 1)]
    [InlineData("{request}", 2, 2_000_000, "", 1e6)]
    [InlineData("{request}/s", 2, 2_000_000, "/s", 1e6)]
    [InlineData("{open", 2, 2_000_000, "", 1e6)]
    [InlineData("1", 0.5, 500_000, "", 1e6)]
    [InlineData("%", 50, 50_000_000, "percent", 1e6)]
    [InlineData("Cel", 20, 20_000_000, "Cel", 1e6)]
    [InlineData(null, 0.5, 500_000, "", 1e6)]
    public void Units_have_their_scale(string? unit, double value, ulong recorded, string name, double ratio)
    {
        using Listening listening = new();

        listening.Meter.CreateHistogram<double>("x", unit).Record(value);

        HdrHistogramDescription description = listening.Only.Description;
        (description.Unit.Name, description.Unit.Ratio).Should().Be((name, ratio));
        double error = recorded * Precision;
        ((double)listening.Only.Histogram.GetPercentileValue(50)).Should().BeApproximately(recorded, error);
    }

    [Fact]
    public void Fractions_without_a_unit_are_recorded_in_millionths_and_integers_in_the_scale_of_their_unit()
    {
        using Listening listening = new();

        listening.Meter.CreateHistogram<float>("f").Record(0.5f);
        listening.Meter.CreateHistogram<decimal>("m").Record(0.5m);
        listening.Meter.CreateHistogram<long>("t", "us").Record(500);

        listening.Registry.Registrations.Should().HaveCount(3).And.OnlyContain(one => one.Histogram.GetBucket(500_000).Count == 1);
    }

    [Fact]
    public void Instruments_of_one_meter_and_name_keep_their_units_types_and_tags()
    {
        using Listening listening = new();
        listening.Meter.CreateHistogram<double>("x", "s").Record(0.5);
        listening.Meter.CreateHistogram<double>("x", "ms").Record(0.5);
        listening.Meter.CreateHistogram<double>("y").Record(0.5);
        listening.Meter.CreateHistogram<long>("y").Record(3);
        listening.Meter.CreateHistogram<int>("z", tags: [new("a", "1")]).Record(1);
        listening.Meter.CreateHistogram<int>("z", tags: [new("a", "2")]).Record(1);

        listening.Registry.Registrations.Single(one => one.Name == "x").Histogram.GetBucket(500_000).Count.Should().Be(1);
        listening.Series.Should().Equal($"{listening.Meter.Name}.y", "x", "y", "z{a=\"1\"}", "z{a=\"2\"}");
    }

    [Fact]
    public void Integers_without_a_unit_are_recorded_unchanged()
    {
        using Listening listening = new();

        listening.Meter.CreateHistogram<int>("items", "{item}").Record(7);

        listening.Only.Description.Unit.Ratio.Should().Be(1);
        listening.Only.Histogram.GetPercentileValue(50).Should().Be(7);
    }

    [Theory]
    [InlineData(null, 100, 12.34, 1234, "", 100)]
    [InlineData("EUR", 100, 12.34, 1234, "EUR", 100)]
    [InlineData("ms", 1000, 0.5, 500, "seconds", 1e6)]
    [InlineData("KiBy", 1, 3, 3, "bytes", 1.0 / 1024)]
    public void A_configured_scale_is_used(string? unit, double scale, double value, ulong recorded, string name, double ratio)
    {
        using Listening listening = new(options => options.Scales["PRICE"] = scale);

        listening.Meter.CreateHistogram<double>("price", unit).Record(value);

        (listening.Only.Description.Unit.Name, listening.Only.Description.Unit.Ratio).Should().Be((name, ratio));
        ((double)listening.Only.Histogram.GetPercentileValue(50)).Should().BeApproximately(recorded, recorded * Precision);
    }

    [Fact]
    public void Negative_values_and_NaN_are_counted_separately_and_not_recorded()
    {
        using Listening listening = new();
        Histogram<double> seconds = listening.Meter.CreateHistogram<double>("d", "s");

        foreach (double value in new[] { -1, -1e-12, -double.Epsilon, double.MinValue, double.NegativeInfinity })
        {
            seconds.Record(value);
        }

        seconds.Record(double.NaN);
        seconds.Record(-double.NaN);
        listening.Meter.CreateHistogram<float>("f", "s").Record(float.NaN);
        listening.Meter.CreateHistogram<float>("f", "s").Record(-1);
        listening.Meter.CreateHistogram<long>("l").Record(-1);
        listening.Meter.CreateHistogram<long>("l").Record(long.MinValue);
        listening.Meter.CreateHistogram<int>("i", "s").Record(-1);
        listening.Meter.CreateHistogram<decimal>("m").Record(-0.1m);

        (listening.Histograms.NegativeMeasurementCount, listening.Histograms.NaNMeasurementCount).Should().Be((10, 3));
        listening.Series.Should().BeEmpty();
    }

    [Fact]
    public void Positive_infinity_is_counted_as_NaN()
    {
        using Listening listening = new();

        listening.Meter.CreateHistogram<double>("d", "s").Record(double.PositiveInfinity);
        listening.Meter.CreateHistogram<float>("f", "s").Record(float.PositiveInfinity);

        (listening.Histograms.NegativeMeasurementCount, listening.Histograms.NaNMeasurementCount).Should().Be((0, 2));
        listening.Series.Should().BeEmpty();
    }

    [Fact]
    public void Zero_of_either_sign_is_recorded_as_0()
    {
        using Listening listening = new();
        Histogram<double> seconds = listening.Meter.CreateHistogram<double>("d", "s");

        seconds.Record(0);
        seconds.Record(-0.0);
        seconds.Record(double.Epsilon);

        listening.Only.Histogram.GetPercentileValue(100).Should().Be(0);
        (listening.Only.Histogram.TotalCount, listening.Histograms.NegativeMeasurementCount).Should().Be((3, 0));
    }

    [Fact]
    public void Too_large_values_are_out_of_range_in_their_series()
    {
        using Listening listening = new();
        Histogram<double> seconds = listening.Meter.CreateHistogram<double>("d", "s");

        seconds.Record(double.MaxValue);
        seconds.Record(1e300);
        seconds.Record(9_223_372_036.854775808);
        seconds.Record(9_223_372_036.854);

        (listening.Only.Histogram.OverflowCount, listening.Only.Histogram.TotalCount).Should().Be((3, 1));
    }

    [Fact]
    public void The_first_number_out_of_range_is_2_to_the_63()
    {
        using Listening listening = new(options => options.Scales["d"] = 1);
        Histogram<double> number = listening.Meter.CreateHistogram<double>("d");

        number.Record(9_223_372_036_854_775_808.0);
        number.Record(Math.BitDecrement(9_223_372_036_854_775_808.0));

        (listening.Only.Histogram.OverflowCount, listening.Only.Histogram.TotalCount).Should().Be((1, 1));
    }

    [Theory]
    [InlineData("d", 1e-30)]
    [InlineData("TiBy", 1e-30)]
    [InlineData("ns", 1e30)]
    public void The_ratio_of_an_extreme_scale_is_valid_in_a_description(string unit, double scale)
    {
        using Listening listening = new(options => options.Scales["d"] = scale);

        listening.Meter.CreateHistogram<double>("d", unit).Record(1);

        listening.Only.Description.Unit.Ratio.Should().BeInRange(1e-30, 1e30);
    }

    [Fact]
    public void The_largest_integer_is_within_the_range()
    {
        using Listening listening = new();

        listening.Meter.CreateHistogram<long>("l").Record(long.MaxValue);

        (listening.Only.Histogram.OverflowCount, listening.Only.Histogram.TotalCount).Should().Be((0, 1));
    }

    [Fact]
    public void Any_duration_is_recorded_as_in_decimal_arithmetic()
    {
        // Tests buckets with a width of one, which hold values below 128 exactly, and all others.
        var durations = Gen.OneOf(
            Gen.Choose(0, 300_000).Select(picoseconds => picoseconds * 1e-12),
            Gen.Choose(0, int.MaxValue).Select(microseconds => microseconds * 1e-6),
            Gen.Choose(0, 9_000_000).Select(seconds => seconds * 1000.0));
        Prop.ForAll(durations.ToArbitrary(), value =>
        {
            using Listening listening = new();
            listening.Meter.CreateHistogram<double>("d", "s").Record(value);
            ReadOnlyHdrHistogram histogram = listening.Only.Histogram;

            decimal exact = (decimal)value * 1_000_000_000;
            bool isHalf = Math.Abs((exact % 1) - 0.5m) < 0.000001m; // can be rounded up or down
            ulong nearest = (ulong)Math.Round(exact, MidpointRounding.AwayFromZero);
            return isHalf || histogram.GetBucket(nearest).Count == 1
                || histogram.GetBucket(nearest - 1).Count == 1 && exact > 1UL << 52; // where a double has no fraction
        }).QuickCheckThrowOnFailure();
    }
}
