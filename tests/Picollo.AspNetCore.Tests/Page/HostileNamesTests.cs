using System.Xml;
using System.Xml.Linq;

namespace Picollo.AspNetCore.Tests.Page;

/// <summary>Route patterns, names, labels and units can contain any text.</summary>
public class HostileNamesTests
{
    private static readonly string[] Names =
    [
        "</title></style></script><script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onmouseover='alert(1)", "&amp;&lt;", "{{alert(1)}}",
        "a\nb\r\nevent: usage\ndata: x", "\0\u0001\u001b[31m", "\u202egnp.exe", "\ud800", "\udfff\ud800", "]]>", "<!--", "-->", new string('W', 10_000), "\u2028\u2029", "🦜",
    ];

    [Fact]
    [Trait("Category", "Slow")]
    public async Task Names_are_encoded_in_all_responses()
    {
        await using PageServer server = await PageServer.StartAsync();
        foreach (string name in Names)
        {
            server.Count("G" + name, name);
            server.Registry.GetOrAdd(name, () => HdrHistogram.Create(), new HdrHistogramDescription { Unit = new() { Name = name } }, [new(name, name)]).Record(1);
        }

        string page = await server.Client.GetStringAsync("/picollo");
        page.Split("<script>").Should().HaveCount(2, "the only script is that of the page");
        page.Should().NotContain("<img").And.NotContain("onerror=alert(1)>").And.NotContain("' onmouse").And.NotContain("\u202e").And.NotContain("&#x202E;").And.NotContain("\0").And.NotContain("&#x0;");
        Parse(page, "usage").Descendants("tr").Count(row => row.Attribute("data-id") is not null).Should().Be(2 * Names.Length);

        await using EventReader events = await EventReader.OpenAsync(server, "");
        (string Name, string Data) first = await events.NextAsync();
        first.Name.Should().Be("usage", "names do not add lines");
        Xml(first.Data).Descendants("tr").Should().HaveCountGreaterThan(2 * Names.Length);

        using JsonDocument json = JsonDocument.Parse(await server.Client.GetStringAsync("/picollo/json"));
        json.RootElement.GetProperty("routes").EnumerateArray().Select(route => route.GetProperty("route").GetString())
            .Should().Contain(Names.Where(name => !name.Any(char.IsSurrogate)));
        foreach (JsonElement one in json.RootElement.GetProperty("histograms").EnumerateArray())
        {
            string shown = await server.Client.GetStringAsync("/picollo?show=" + one.GetProperty("id").GetString());
            shown.Split("<script>").Should().HaveCount(2);
            Parse(shown, "plots").Elements("figure").Should().HaveCount(2);
            Parse(shown, "usage");
        }
    }

    [Fact]
    public void IDs_differ_if_only_the_boundaries_of_the_parts_differ()
    {
        HdrHistogramRegistration With(string name, params ReadOnlySpan<KeyValuePair<string, string>> labels) => new(name, HdrHistogram.Create(), HdrHistogramDescription.None, labels);
        string[] ids =
        [
            PageRow.FromRow(new RouteRow("GET", "/a")).Id, PageRow.FromRow(new RouteRow("GE", "T/a")).Id, PageRow.FromRegistration(With("GET/a")).Id,
            PageRow.FromRegistration(With("a", [new("b", "c")])).Id, PageRow.FromRegistration(With("a", [new("bc", "")])).Id, PageRow.FromRegistration(With("a{b=\"c\"}")).Id, PageRow.FromRegistration(With("a", [new("b", "c"), new("d", "")])).Id,
        ];
        ids.Should().OnlyHaveUniqueItems().And.OnlyContain(id => id.Length == 16);
        PageRow.FromRow(new RouteRow("GET", "/a")).Id.Should().Be(ids[0], "the ID is the same in every process");
    }

    /// <summary>Returns the element of the page with an ID. Throws if the page is not well-formed.</summary>
    private static XElement Parse(string page, string id)
    {
        int start = page.IndexOf($"<div id=\"{id}\">", StringComparison.Ordinal);
        string end = id == "usage" ? "</div>\n<section" : "</div>\n</section>";
        return Xml(page[start..(page.IndexOf(end, start, StringComparison.Ordinal) + "</div>".Length)]).Elements().Single();
    }

    // HTML allows character references that XML does not allow.
    private static XElement Xml(string fragment)
    {
        using XmlReader reader = XmlReader.Create(new StringReader($"<all>{fragment}</all>"), new XmlReaderSettings { CheckCharacters = false });
        return XElement.Load(reader);
    }
}
