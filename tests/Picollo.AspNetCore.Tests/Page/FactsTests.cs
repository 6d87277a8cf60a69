using System.Text.Json.Serialization.Metadata;

namespace Picollo.AspNetCore.Tests.Page;

/// <summary>Compares the table of facts with the code that cannot be built from it.</summary>
public class FactsTests
{
    [Fact]
    public void The_table_has_an_entry_for_each_fact_with_a_histogram() =>
        RunFacts.Recorded.Select(fact => (int)fact.Fact).Should().Equal(Enumerable.Range(0, RunFacts.RecordedCount));

    [Fact]
    public void The_JSON_records_have_a_property_for_each_fact()
    {
        NamesIn(PageJsonContext.Default.RouteJson).Should().Equal(RunFacts.Recorded.Select(fact => fact.JsonName));
        NamesIn(PageJsonContext.Default.WorkJson).Should().Equal(
            RunFacts.Recorded.Where(fact => fact.WorkMetric is not null).Select(fact => fact.JsonName));
    }

    [Theory]
    [InlineData("seconds", 1e9, "ms", 1e6)]
    [InlineData("seconds", 1, "ms", 1e-3)]
    [InlineData("seconds", 1 / 3600.0, "seconds", 1 / 3600.0)]
    [InlineData("bytes", 1, "bytes", 1)]
    public void A_registered_time_is_shown_in_milliseconds_unless_it_is_recorded_in_longer_units(string name, double ratio, string shown, double shownRatio)
    {
        HdrHistogramDescription description = new() { Unit = new() { Name = name, Ratio = ratio } };
        HdrHistogramUnit unit = PageRow.FromRegistration(new HdrHistogramRegistration("any", HdrHistogram.Create(), description)).Unit;

        (unit.Name, unit.Ratio).Should().Be((shown, shownRatio));
    }

    private static IEnumerable<string> NamesIn(JsonTypeInfo type) =>
        type.Properties.Where(property => property.PropertyType == typeof(PercentilesJson)).Select(property => property.Name);
}
