using System.Buffers;
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
        writer.Write(output, PrometheusFormat.Text, registrations);
        return Encoding.UTF8.GetString(output.WrittenSpan);
    }

    public static IReadOnlyList<ExpositionSeries> Series(params HdrHistogramRegistration[] registrations) =>
        Series(new PrometheusWriter(), registrations);

    public static IReadOnlyList<ExpositionSeries> Series(PrometheusWriter writer, params HdrHistogramRegistration[] registrations) =>
        Read(writer, registrations).Series;

    public static IReadOnlyList<string> Comments(params HdrHistogramRegistration[] registrations) =>
        Read(new PrometheusWriter(), registrations).Comments;

    public static (IReadOnlyList<ExpositionSeries> Series, IReadOnlyList<string> Comments) Read(
        PrometheusWriter writer, params HdrHistogramRegistration[] registrations)
    {
        ArrayBufferWriter<byte> output = new();
        writer.Write(output, PrometheusFormat.Text, registrations);
        return ExpositionParser.Parse(output.WrittenSpan);
    }

    public static HdrHistogramRegistration Plain(string name, params ReadOnlySpan<KeyValuePair<string, string>> labels) =>
        new(name, HdrHistogram.Factory.WithMaxTrackableValue(10).Create(), HdrHistogramDescription.None, labels);
}
