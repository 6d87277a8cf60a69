using System.Buffers;
using System.Globalization;
using System.Text;
using Picollo.Metrics;

namespace Picollo.Export.Tests;

/// <summary>Returns the output of a writer, as text and as parsed series.</summary>
internal static class Expositions
{
    public static string Text(params HdrHistogramRegistration[] registrations) => Text(new PrometheusWriter(), registrations);

    public static string Text(PrometheusWriter writer, params HdrHistogramRegistration[] registrations)
    {
        ArrayBufferWriter<byte> output = new();
        writer.WriteHistograms(output, PrometheusFormat.Text, registrations);
        return Encoding.UTF8.GetString(output.WrittenSpan);
    }

    public static IReadOnlyList<ExpositionSeries> Series(params HdrHistogramRegistration[] registrations) =>
        Series(new PrometheusWriter(), registrations);

    public static IReadOnlyList<ExpositionSeries> Series(PrometheusWriter writer, params HdrHistogramRegistration[] registrations) =>
        Read(writer, registrations).Series;

    /// <summary>Returns the histograms that are not in the exposition, with the reasons.</summary>
    public static IReadOnlyList<string> Omitted(params HdrHistogramRegistration[] registrations) =>
        Read(new PrometheusWriter(), registrations).Omitted;

    /// <summary>Returns the series, and each histogram that is not in the exposition.</summary>
    public static (IReadOnlyList<ExpositionSeries> Series, IReadOnlyList<string> Omitted) Read(
        PrometheusWriter writer, params HdrHistogramRegistration[] registrations)
    {
        const string Gauge = "# HELP picollo_omitted_histograms Histograms that are not exported, by reason.\n# TYPE picollo_omitted_histograms gauge\n";
        string text = Text(writer, registrations);
        int end = text.LastIndexOf(Gauge, StringComparison.Ordinal);
        (IReadOnlyList<ExpositionSeries> series, IReadOnlyList<string> comments) =
            ExpositionParser.Parse(Encoding.UTF8.GetBytes(end < 0 ? text : text[..end]));
        comments.Should().BeEmpty();
        List<string> omitted = [];
        foreach (string line in end < 0 ? [] : text[(end + Gauge.Length)..^1].Split('\n'))
        {
            int number = line.LastIndexOf(' ');
            line.Should().MatchRegex("^picollo_omitted_histograms{histogram=\".*\",reason=\"[a-z, ]*\"} [1-9][0-9]*$");
            omitted.AddRange(Enumerable.Repeat(line[..number], int.Parse(line[number..], CultureInfo.InvariantCulture)));
        }

        return (series, omitted);
    }

    public static HdrHistogramRegistration Plain(string name, params ReadOnlySpan<KeyValuePair<string, string>> labels) =>
        new(name, HdrHistogram.Factory.WithMaxTrackableValue(10).Create(), HdrHistogramDescription.None, labels);
}
