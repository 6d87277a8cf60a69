using Picollo.Export.Plots;
using Picollo.Metrics;

namespace Picollo.Export.Tests;

/// <summary>Results can get members later, so they have no setters, no positional form, and no public constructors.</summary>
public class ResultTypeTests
{
    public static TheoryData<Type> Types => [typeof(HdrHistogramSeries)];

    [Theory]
    [MemberData(nameof(Types))]
    public void Results_are_read_only(Type type)
    {
        type.GetProperties().Should().NotBeEmpty().And.OnlyContain(property => property.SetMethod == null || !property.SetMethod.IsPublic);
        type.GetMethods().Should().NotContain(method => method.Name == "Deconstruct");
        type.GetConstructors().Should().HaveCount(type == typeof(HdrHistogramSeries) ? 1 : 0);
    }

    [Fact]
    public void A_series_is_created_from_its_name_and_histogram()
    {
        HdrHistogram histogram = HdrHistogram.Create();

        HdrHistogramSeries series = new("latency", histogram);

        series.Name.Should().Be("latency");
        series.Histogram.Should().BeSameAs(histogram);
        series.Should().Be(new HdrHistogramSeries("latency", histogram));
    }
}
