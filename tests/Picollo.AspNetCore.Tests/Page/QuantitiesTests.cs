using System.Text.Json.Serialization.Metadata;
using Picollo.AspNetCore.Measuring;
using Picollo.AspNetCore.Page;

namespace Picollo.AspNetCore.Tests.Page;

/// <summary>Compares the table of quantities with the code that cannot be built from it.</summary>
public class QuantitiesTests
{
    [Fact]
    public void The_table_has_an_entry_for_each_quantity_with_a_histogram() =>
        Quantities.Recorded.Select(quantity => (int)quantity.Quantity).Should().Equal(Enumerable.Range(0, Quantities.RecordedCount));

    [Fact]
    public void The_JSON_records_have_a_property_for_each_quantity()
    {
        NamesIn(PageJsonContext.Default.RouteJson).Should().Equal(Quantities.Recorded.Select(quantity => quantity.JsonName));
        NamesIn(PageJsonContext.Default.WorkJson).Should().Equal(Quantities.Recorded.Select(quantity => quantity.JsonName));
    }

    [Fact]
    public void Plotted_quantities_have_the_same_unit() =>
        Quantities.Recorded.Where(quantity => quantity.IsPlotted).Should().OnlyContain(quantity => quantity.PageUnit == Quantities.Milliseconds);

    private static IEnumerable<string> NamesIn(JsonTypeInfo type) =>
        type.Properties.Where(property => property.PropertyType == typeof(PercentilesJson)).Select(property => property.Name);
}
