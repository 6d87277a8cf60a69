using System.Diagnostics.Metrics;
using FsCheck;
using FsCheck.Fluent;
using Picollo.Metrics;

namespace Picollo.Diagnostics.Tests.Meters;

public class ConversionTests
{
    private const double Precision = 0.01;

    [Fact]
    public void Units_have_their_scale_unless_another_is_configured()
    {
        foreach ((string? unit, double? scale, double value, ulong recorded, string name, double ratio) in new (string?, double?, double, ulong, string, double)[]
        {
            ("s", null, 0.002, 2_000_000, "seconds", 1e9), ("ms", null, 2, 2_000_000, "seconds", 1e9),
            ("us", null, 2, 2_000, "seconds", 1e9), ("\u03bcs", null, 2, 2_000, "seconds", 1e9), (" ms ", null, 2, 2_000_000, "seconds", 1e9),
            ("µs", null, 2, 2_000, "seconds", 1e9), ("ns", null, 2, 2, "seconds", 1e9), ("min", null, 2, 120_000_000_000, "seconds", 1e9),
            ("h", null, 1, 3_600_000_000_000, "seconds", 1e9), ("d", null, 1, 86_400_000_000_000, "seconds", 1e9),
            ("By", null, 2, 2, "bytes", 1), ("kBy", null, 2, 2000, "bytes", 1), ("KiBy", null, 2, 2048, "bytes", 1),
            ("MiBy", null, 1, 1 << 20, "bytes", 1),
            ("KBy", null, 2, 2000, "bytes", 1), ("MBy", null, 2, 2_000_000, "bytes", 1), ("GBy", null, 2, 2_000_000_000, "bytes", 1),
            ("TBy", null, 2, 2_000_000_000_000, "bytes", 1), ("GiBy", null, 2, 2_147_483_648, "bytes", 1),
            ("TiBy", null, 2, 2_199_023_255_552, "bytes", 1),
            ("{request}", null, 2, 2_000_000, "", 1e6), ("{request}/s", null, 2, 2_000_000, "/s", 1e6),
            ("{a}m{b}", null, 2, 2_000_000, "m", 1e6), ("{open", null, 2, 2_000_000, "", 1e6),
            ("1", null, 0.5, 500_000, "", 1e6), ("%", null, 50, 50_000_000, "percent", 1e6), ("Cel", null, 20, 20_000_000, "Cel", 1e6),
            (null, null, 0.5, 500_000, "", 1e6), (null, 100, 12.34, 1234, "", 100), ("EUR", 100, 12.34, 1234, "EUR", 100),
            ("ms", 1000, 0.5, 500, "seconds", 1e6), ("KiBy", 1, 3, 3, "bytes", 1.0 / 1024),
        })
        {
            using Listening listening = new(options => options.Scales["PRICE"] = scale ?? 1);

            listening.Meter.CreateHistogram<double>(scale is null ? "x" : "price", unit, "Help.").Record(value);

            HdrHistogramDescription description = listening.Only.Description;
            (description.Unit.Name, description.Unit.Ratio, description.Help).Should().Be((name, ratio, "Help."), unit);
            ((double)listening.Only.Histogram.GetPercentileValue(50)).Should().BeApproximately(recorded, recorded * Precision, unit);
        }
    }

    [Fact]
    public void Values_of_all_types_are_recorded_fractions_in_millionths_and_integers_in_the_scale_of_their_unit()
    {
        using Listening listening = new();

        listening.Meter.CreateHistogram<byte>("b", "us").Record(5);
        listening.Meter.CreateHistogram<short>("s", "us").Record(5);
        listening.Registry.Registrations.Should().HaveCount(2).And.OnlyContain(one => one.Histogram.GetBucket(5_000).Count == 1);

        listening.Meter.CreateHistogram<double>("d").Record(0.5);
        listening.Meter.CreateHistogram<float>("f").Record(0.5f);
        listening.Meter.CreateHistogram<decimal>("m").Record(0.5m);
        listening.Meter.CreateHistogram<long>("t", "us").Record(500);
        listening.Registry.Registrations.Where(one => one.Name is "d" or "f" or "m" or "t")
            .Should().HaveCount(4).And.OnlyContain(one => one.Histogram.GetBucket(500_000).Count == 1);

        listening.Meter.CreateHistogram<int>("items", "{item}").Record(7);
        HdrHistogramRegistration items = listening.Registry.Registrations.Single(one => one.Name == "items");
        (items.Description.Unit.Ratio, items.Histogram.GetPercentileValue(50)).Should().Be((1, 7));
    }

    [Fact]
    public void Negative_values_NaN_and_infinity_are_counted_separately_and_not_recorded()
    {
        using Listening listening = new();
        Histogram<double> seconds = listening.Meter.CreateHistogram<double>("d", "s");

        foreach (double value in new[] { -1, -1e-12, -double.Epsilon, double.MinValue, double.NegativeInfinity, double.NaN, -double.NaN, double.PositiveInfinity })
        {
            seconds.Record(value);
        }

        listening.Meter.CreateHistogram<float>("f", "s").Record(float.NaN);
        listening.Meter.CreateHistogram<float>("f", "s").Record(float.PositiveInfinity);
        listening.Meter.CreateHistogram<float>("f", "s").Record(-1);
        listening.Meter.CreateHistogram<long>("l").Record(-1);
        listening.Meter.CreateHistogram<long>("l").Record(long.MinValue);
        listening.Meter.CreateHistogram<int>("i", "s").Record(-1);
        listening.Meter.CreateHistogram<decimal>("m").Record(-0.1m);

        (listening.Histograms.NegativeMeasurementCount, listening.Histograms.NaNMeasurementCount).Should().Be((10, 5));
        listening.Series.Should().BeEmpty();

        seconds.Record(0);
        seconds.Record(-0.0);
        seconds.Record(double.Epsilon);
        listening.Only.Histogram.GetPercentileValue(100).Should().Be(0);
        (listening.Only.Histogram.TotalCount, listening.Histograms.NegativeMeasurementCount).Should().Be((3, 10));
    }

    [Fact]
    public void Too_large_values_are_out_of_range_in_their_series()
    {
        using Listening listening = new(options => options.Scales["n"] = 1);
        Histogram<double> seconds = listening.Meter.CreateHistogram<double>("d", "s"), number = listening.Meter.CreateHistogram<double>("n");
        foreach (double value in (double[])[double.MaxValue, 1e300, 9_223_372_036.854775808, 9_223_372_036.854])
        {
            seconds.Record(value);
        }

        number.Record(9_223_372_036_854_775_808.0);
        number.Record(Math.BitDecrement(9_223_372_036_854_775_808.0));
        listening.Meter.CreateHistogram<long>("l").Record(long.MaxValue);

        listening.Registry.Registrations.Select(one => (one.Name, one.Histogram.OverflowCount, one.Histogram.TotalCount))
            .Should().Equal(("d", 3, 1), ("l", 0, 1), ("n", 1, 1));
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
