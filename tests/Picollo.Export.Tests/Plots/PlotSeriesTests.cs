namespace Picollo.Export.Tests.Plots;

/// <summary>Tests how all plots and the report handle their arguments.</summary>
public class PlotSeriesTests
{
    public static TheoryData<string> Kinds => [.. All.Keys];

    private static readonly Dictionary<string, Action<KeyValuePair<string, ReadOnlyHdrHistogram>[]>> All = new()
    {
        ["percentiles"] = series => HdrHistogramPlot.CreatePercentiles(series),
        ["density"] = series => HdrHistogramPlot.CreateDensity(series),
        ["distribution"] = series => HdrHistogramPlot.CreateDistribution(series),
        ["difference"] = series => HdrHistogramPlot.CreateDifference(series[0], series[^1]),
        ["report"] = series => HdrHistogramPlot.WriteReport(TextWriter.Null, series),
    };

    [Theory]
    [MemberData(nameof(Kinds))]
    public void Each_histogram_is_read_once(string kind)
    {
        CountedReads[] histograms = [new(PercentilePlotTests.One(5)), new(PercentilePlotTests.One(7))];
        All[kind]([.. histograms.Select(histogram => new KeyValuePair<string, ReadOnlyHdrHistogram>("it", histogram))]);
        histograms.Select(histogram => histogram.Reads).Should().Equal(1, 1);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void The_message_names_a_missing_argument_or_a_disposed_histogram(string kind)
    {
        KeyValuePair<string, ReadOnlyHdrHistogram> good = new("good", PercentilePlotTests.One(5));
        (string parameter, string place) = kind == "difference" ? ("after", "after") : ("series", "series[1]");
        foreach ((KeyValuePair<string, ReadOnlyHdrHistogram> bad, string missing) in new[]
                 {
                     (default, "Key"), (new KeyValuePair<string, ReadOnlyHdrHistogram>(null!, good.Value), "Key"), (new KeyValuePair<string, ReadOnlyHdrHistogram>("a", null!), "Value"),
                 })
        {
            FluentActions.Invoking(() => All[kind]([good, bad])).Should().Throw<ArgumentNullException>().WithParameterName(parameter)
                .WithMessage($"{place}.{missing} is null.*");
        }

        HdrHistogram disposed = HdrHistogram.Create();
        disposed.Dispose();
        FluentActions.Invoking(() => All[kind]([good, new("a gone one", disposed)])).Should()
            .Throw<ObjectDisposedException>().WithMessage($"The histogram of {place}, \"a gone one\", is disposed.*");
        using StringWriter page = new();
        FluentActions.Invoking(() => HdrHistogramPlot.WriteReport(page, [default])).Should().Throw<ArgumentNullException>();
        page.ToString().Should().BeEmpty("an invalid series prevents all output of a report");
    }

    [Theory]
    [InlineData("percentiles")]
    [InlineData("density")]
    [InlineData("difference")]
    public void The_number_of_values_out_of_range_is_shown(string kind)
    {
        KeyValuePair<string, ReadOnlyHdrHistogram> whole = new("whole", PercentilePlotTests.One(5));
        KeyValuePair<string, ReadOnlyHdrHistogram> Lossy(string name, ulong count)
        {
            HdrHistogram histogram = HdrHistogram.Factory.WithMinTrackableValue(4096).WithMaxTrackableValue(1_000_000).Create();
            histogram.Record(5000, 10);
            histogram.Record(1, count - 1);
            histogram.Record(1UL << 40, 1);
            return new(name, histogram);
        }

        HdrHistogramPlot Plot(params KeyValuePair<string, ReadOnlyHdrHistogram>[] series) => kind switch
        {
            "percentiles" => HdrHistogramPlot.CreatePercentiles(series),
            "density" => HdrHistogramPlot.CreateDensity(series),
            "distribution" => HdrHistogramPlot.CreateDistribution(series),
            _ => HdrHistogramPlot.CreateDifference(series[0], series[1]),
        };

        new SvgPicture(Plot(whole, whole)).Fragment.Should().NotContain("out of range");
        new SvgPicture(Plot(whole, Lossy("slow", 1234))).Texts.Should().Contain("slow: 1,234 values out of range").And.NotContain(text => text.Contains("whole:"));
        new SvgPicture(Plot(Lossy("", 1), whole)).Texts.Should().Contain("1 value out of range");
        if (kind != "difference")
        {
            new SvgPicture(Plot(Lossy("alone", 2))).Texts.Should().Contain("2 values out of range");
            KeyValuePair<string, ReadOnlyHdrHistogram>[] many = [.. Enumerable.Range(0, 1000).Select(i => Lossy($"s{i}", 3))];
            new SvgPicture(Plot(many)).Texts.Where(text => text.EndsWith("out of range", StringComparison.Ordinal)).Should().Equal(
                "s0: 3 values out of range", "s1: 3 values out of range", "s2: 3 values out of range", "997 more series have values out of range");
            new SvgPicture(Plot(many[..4])).Texts.Should().Contain("s3: 3 values out of range").And.NotContain(text => text.Contains("more series"));
        }
    }

    [Theory]
    [InlineData(1e-30)]
    [InlineData(1)]
    [InlineData(1e30)]
    public void Extreme_values_counts_and_units_are_drawn(double unit)
    {
        HdrHistogramUnit scaled = new() { Ratio = unit };
        HdrHistogram full = HdrHistogram.Factory.WithUInt64Storage().Create();
        full.Record(1000, ulong.MaxValue);
        HdrHistogram lost = HdrHistogram.Factory.WithUInt64Storage().WithMaxTrackableValue(10).Create();
        lost.Record(1UL << 50, ulong.MaxValue);
        KeyValuePair<string, ReadOnlyHdrHistogram>[] series =
        [
            new("largest", PercentilePlotTests.One(ulong.MaxValue)), new("zero", PercentilePlotTests.One(0)), new("full", full), new("lost", lost),
        ];
        foreach (KeyValuePair<string, ReadOnlyHdrHistogram> one in series)
        {
            HdrHistogramPlot[] plots =
            [
                HdrHistogramPlot.CreatePercentiles([one, series[0]], scaled), HdrHistogramPlot.CreateDensity([one, series[0]], scaled),
                HdrHistogramPlot.CreateDifference(one, series[0], scaled),
            ];
            using StringWriter page = new();
            HdrHistogramPlot.WriteReport(page, [one, series[0]], scaled);
            foreach (SvgPicture picture in plots.Select(plot => new SvgPicture(plot)))
            {
                picture.Fragment.Should().NotContainAny("NaN", "Infinity", "∞");
                picture.Texts.Where(text => double.TryParse(text, out _)).Should().OnlyContain(tick => tick.Length < 11, "there is no space for more");
            }

            page.ToString().Should().NotContainAny("<td>NaN", "Infinity", "∞").And.NotMatchRegex("<td>[^<]{36,}");
        }
    }

    [Fact]
    public void The_size_is_limited_for_any_names()
    {
        string[] names =
        [
            new('x', 10_000), "]]>" + new string('\u0301', 10_000), "\0\ud800\u202e\u2066\u05d0\ufeff", "",
            string.Concat(Enumerable.Repeat("\ud83d\udc68\u200d", 3000)),
        ];
        foreach (string name in names)
        {
            HdrHistogramUnit unit = new() { Name = name };
            HdrHistogram lossy = HdrHistogram.Factory.WithMaxTrackableValue(10).Create();
            lossy.Record(100);
            KeyValuePair<string, ReadOnlyHdrHistogram>[] series = [new(name, lossy), new(name, SomeLatencies.Of(1))];
            new SvgPicture(HdrHistogramPlot.CreatePercentiles(series, unit, name)).Fragment.Length.Should().BeLessThan(40_000);
            new SvgPicture(HdrHistogramPlot.CreateDensity(series, unit, name)).Fragment.Length.Should().BeLessThan(40_000);
            new SvgPicture(HdrHistogramPlot.CreateDifference(series[0], series[1], unit, name)).Fragment.Length.Should().BeLessThan(40_000);
            new SvgPicture(HdrHistogramPlot.CreateLayout(0.1, 255, name)).Fragment.Length.Should().BeLessThan(20_000);
        }
    }

    private sealed class CountedReads(ReadOnlyHdrHistogram source)
        : ReadOnlyHdrHistogram(source.Layout, source.MinTrackableValue, source.MaxTrackableValue)
    {
        public int Reads { get; private set; }

        public override long FootprintInBytes => 0;

        public override HdrHistogramSnapshot GetSnapshot() => source.GetSnapshot();

        internal override DateTimeOffset ReadTime => source.ReadTime;

        private protected override (ulong Underflow, ulong Overflow) CopyCounts(Span<ulong> counts)
        {
            Reads++;
            using CountsCopy copy = source.Read();
            copy.Counts.CopyTo(counts);
            return (copy.Underflow, copy.Overflow);
        }

        private protected override (ulong Underflow, ulong Overflow) ReadOutOfRange()
        {
            Reads++;
            return (0, 0);
        }
    }
}
