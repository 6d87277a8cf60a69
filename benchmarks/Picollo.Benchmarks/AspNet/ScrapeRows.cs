using Picollo.Benchmarks.AspNet.Contenders;
using Picollo.Benchmarks.Comparison;
using Picollo.Metrics;

namespace Picollo.Benchmarks.AspNet;

/// <summary>A scrape of 200 histograms against an answer of the same bytes that was ready.</summary>
internal static class ScrapeRows
{
    private const int Histograms = 200;
    private const int Repetitions = 201;

    public static void Print(TextWriter output)
    {
        // What the routes of a web application have, and what a histogram has that nothing was chosen for.
        HdrHistogramRegistry routes = ScrapedServer.Histograms(Histograms, HdrHistogram.Factory
            .WithRelativeError(0.01).WithMinTrackableValue(1_000).WithMaxTrackableValue(3_600_000_000_000).WithThreadLocal(), threads: 2);
        HdrHistogramRegistry defaults = ScrapedServer.Histograms(Histograms, HdrHistogram.Factory, threads: 1);
        using ScrapedServer routesServer = new(routes);
        using ScrapedServer defaultsServer = new(defaults);
        using HttpClient client = new();
        List<Row> rows =
        [
            .. Rows($"A scrape of {Histograms} histograms, 1 % from 1 µs to 1 h, thread-local, two threads, {routesServer.Length:N0} bytes", routes, routesServer, client),
            .. Rows($"A scrape of {Histograms} histograms, 0.1 % from 0 to 2⁶⁴ (23 MB of counters), plain, {defaultsServer.Length:N0} bytes", defaults, defaultsServer, client),
        ];
        TimeReport.Print(output, rows, Interleaver.Measure([.. rows.Select(row => row.Measured)], Repetitions));
        output.WriteLine();
        output.WriteLine("Client, server and the connection between them are in each of these figures but those of the writer alone.");
    }

    private static IEnumerable<Row> Rows(string section, HdrHistogramRegistry registry, ScrapedServer server, HttpClient client)
    {
        const double Target = 3;
        Get text = new("a ready string", client, server, ScrapedServer.ReadyText);
        yield return new Row(section, text);
        yield return new Row(section, new Get("ready bytes", client, server, ScrapedServer.ReadyBytes), text);
        yield return new Row(section, new Get("the scrape", client, server, ScrapedServer.Scrape), text, Target);
        yield return new Row(section, new WriteExposition("the writer alone, into memory", registry), text);
    }
}
