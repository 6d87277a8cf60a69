using System.Text.RegularExpressions;

namespace Picollo.AspNetCore.Tests.Page;

/// <summary>Tests the names of many histograms in one table.</summary>
public class SeriesNamesTests
{
    [Fact]
    public void Labels_that_all_series_of_a_name_share_are_omitted()
    {
        SeriesNames.Shorten([Named("a", ("x", "1"), ("y", "1")), Named("a", ("x", "1"), ("y", "2")), Named("b", ("x", "1"))])
            .Should().Equal("a{y=\"1\"}", "a{y=\"2\"}", "b{x=\"1\"}");
        SeriesNames.Shorten([Named("a", ("x", "1")), Named("a", ("x", "1"), ("y", "2")), Named("a")])
            .Should().Equal(["a{x=\"1\"}", "a{x=\"1\",y=\"2\"}", "a"], "a label is missing in one series");
    }

    [Fact]
    public async Task The_table_contains_the_100_histograms_with_the_most_values_and_the_chosen_one()
    {
        await using PageServer server = await PageServer.StartAsync();
        for (int i = 0; i < 150; i++)
        {
            HdrHistogram histogram = HdrHistogram.Create();
            histogram.Record(1, (ulong)i + 1);
            server.Registry.Add("series", histogram, [new("number", i.ToString("d3", CultureInfo.InvariantCulture))]);
        }

        string chosen = (await server.JsonAsync()).GetProperty("histograms")[0].GetProperty("id").GetString()!;
        string page = await server.Client.GetStringAsync($"/picollo?show={chosen}");

        Regex.Matches(page, "number=&quot;([0-9]{3})&quot;}</bdi></a>").Select(one => int.Parse(one.Groups[1].Value, CultureInfo.InvariantCulture))
            .Should().Equal([0, .. Enumerable.Range(51, 99)]);
        page.Should().Contain("Only the 100 histograms with the most values are shown, out of\n150.");
        (await server.JsonAsync()).GetProperty("histograms").GetArrayLength().Should().Be(150);
    }

    private static HdrHistogramRegistration Named(string name, params (string Key, string Value)[] labels) =>
        new(name, HdrHistogram.Create(), HdrHistogramDescription.None, [.. labels.Select(label => new KeyValuePair<string, string>(label.Key, label.Value))]);
}
