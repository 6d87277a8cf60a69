namespace Picollo.Export.Tests;

public class PrometheusNamesTests
{
    [Theory]
    [InlineData("latency", "", "latency"), InlineData("http.server.request.duration", "seconds", "http_server_request_duration_seconds")]
    [InlineData("latency_seconds", "seconds", "latency_seconds"), InlineData("latency.seconds", "seconds", "latency_seconds")]
    [InlineData("latencyseconds", "seconds", "latencyseconds_seconds"), InlineData("seconds", "seconds", "seconds")]
    [InlineData("size", "Ki-B/s", "size_Ki_B_s"), InlineData("9lives", "", "_9lives"), InlineData("a:b", "", "a_b")]
    [InlineData("größe", "", "gr__e"), InlineData("a😀b", "", "a_b"), InlineData("١", "", "_")]
    [InlineData("a b\n# TYPE a counter\n", "", "a_b___TYPE_a_counter_")]
    public void Exported_names_are_valid_in_Prometheus(string name, string unit, string exported) =>
        Expositions.Series(new HdrHistogramRegistration(
            name, HdrHistogram.Factory.WithMaxTrackableValue(10).Create(), HdrHistogramDescription.None with { Unit = new() { Name = unit } }))
            .Should().ContainSingle().Which.Name.Should().Be(exported);

    [Theory]
    [InlineData("route", "route"), InlineData("http.route", "http_route"), InlineData("le", "exported_le"), InlineData("Le", "Le")]
    [InlineData("__name__", "exported___name__"), InlineData("_private", "_private"), InlineData("..x", "exported___x")]
    [InlineData("2xx", "_2xx"), InlineData("a:b", "a_b"), InlineData("é", "_")]
    public void Exported_label_names_are_valid_in_Prometheus(string label, string exported) =>
        Expositions.Series(Expositions.Plain("x", [new(label, "v")])).Single().Labels.Keys.Should().Equal(exported);

    [Theory]
    [InlineData("plain", "plain"), InlineData("\\ \" \n", "\\ \" \n"), InlineData("\\n", "\\n"), InlineData("\r\t\0}", "\r\t\0}")]
    [InlineData("\"} 1\nx_count 7\n# TYPE x counter", "\"} 1\nx_count 7\n# TYPE x counter"), InlineData("größe 😀", "größe 😀")]
    public void Label_values_are_preserved(string value, string read) =>
        Expositions.Series(Expositions.Plain("x", [new("k", value)])).Single().Labels["k"].Should().Be(read);

    [Fact]
    public void Lone_surrogates_are_replaced() // not a theory, because the text of attributes is UTF-8, which cannot contain them
    {
        ExpositionSeries series = Expositions.Series(Expositions.Plain("x\ud83dy", [new("k\ude00", "a\ud83d"), new("l", "\ude00\ud83d")])).Single();

        series.Name.Should().Be("x_y");
        series.Help.Should().Be("x\ufffdy");
        series.Labels.Should().Equal(new Dictionary<string, string> { ["k_"] = "a\ufffd", ["l"] = "\ufffd\ufffd" });
    }

    [Fact]
    public void Values_of_labels_with_equal_exported_names_are_joined_in_order() =>
        Expositions.Series(Expositions.Plain("x", [new("a_b", "3"), new("a.b", "2"), new("exported_le", "5"), new("le", "6"), new("a-b", ""), new("c", "")]))
            .Single().Labels.Should().Equal(new Dictionary<string, string> { ["a_b"] = ";2;3", ["exported_le"] = "5;6" });

    [Fact]
    public void Registrations_that_become_equal_after_replacements_are_detected() =>
        Expositions.Series(Expositions.Plain("x", [new("k", "\ud83d")]), Expositions.Plain("x", [new("k", "\ude00")]), Expositions.Plain("x", [new("k", "\ufffd")]))
            .Should().ContainSingle();

    [Theory]
    [InlineData("", "the.name")]
    [InlineData("Back\\slash, \"quotes\" and\nlines.\r", "Back\\slash, \"quotes\" and\nlines.\r")]
    [InlineData("# TYPE x counter", "# TYPE x counter")]
    public void Help_is_preserved_and_defaults_to_the_name(string help, string read) =>
        Expositions.Series(new HdrHistogramRegistration(
            "the.name", HdrHistogram.Factory.WithMaxTrackableValue(10).Create(), HdrHistogramDescription.None with { Help = help }))
            .Single().Help.Should().Be(read);
}
