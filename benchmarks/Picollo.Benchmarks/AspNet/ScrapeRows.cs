using System.Buffers;
using Picollo.Export;

namespace Picollo.Benchmarks.AspNet;

/// <summary>Compares a scrape of 200 histograms with a prepared response of the same bytes.</summary>
internal static class ScrapeRows
{
    private const int Histograms = 200;
    private const int Repetitions = 201;

    public static void Print(TextWriter output)
    {
        // The histograms of routes, and histograms with default settings.
        HdrHistogramRegistry routes = ScrapedServer.Histograms(Histograms, HdrHistogram.Factory
            .WithRelativeError(0.01).WithMinTrackableValue(1_000).WithMaxTrackableValue(3_600_000_000_000).WithInterlocked(), threads: 2);
        HdrHistogramRegistry defaults = ScrapedServer.Histograms(Histograms, HdrHistogram.Factory, threads: 1);
        using ScrapedServer routesServer = new(routes);
        using ScrapedServer defaultsServer = new(defaults);
        using HttpClient client = new();
        List<Row> rows =
        [
            .. Rows($"A scrape of {Histograms} histograms, 1 % from 1 µs to 1 h, interlocked, {routesServer.Length:N0} bytes", routes, routesServer, client),
            .. Rows($"A scrape of {Histograms} histograms, 0.1 % from 0 to 2⁶⁴ (23 MB of counters), plain, {defaultsServer.Length:N0} bytes", defaults, defaultsServer, client),
        ];
        TimeReport.Print(output, rows, Interleaver.Measure([.. rows.Select(row => row.Measured)], Repetitions));
        output.WriteLine();
        output.WriteLine("All figures except those of PrometheusWriter alone include the client, the server and the connection.");
    }

    private static IEnumerable<Row> Rows(string section, HdrHistogramRegistry registry, ScrapedServer server, HttpClient client)
    {
        const double Target = 1.5;
        Get text = new("a response from a prepared string", client, server, ScrapedServer.ReadyText);
        yield return new Row(section, text);
        yield return new Row(section, new Get("a response from prepared bytes", client, server, ScrapedServer.ReadyBytes), text);
        yield return new Row(section, new Get("a scrape", client, server, ScrapedServer.Scrape), text, Target);
        yield return new Row(section, WriteExposition(registry), text);
    }

    private static Repeated WriteExposition(HdrHistogramRegistry registry)
    {
        PrometheusWriter writer = new();
        ArrayBufferWriter<byte> output = new(1 << 22);
        return new("PrometheusWriter alone, into memory", 1, () =>
        {
            output.ResetWrittenCount();
            writer.WriteHistograms(output, PrometheusFormat.Text, registry);
        });
    }
}

/// <summary>Sends a request, and reads and discards the whole response. All contenders share one client.</summary>
internal sealed class Get(string name, HttpClient client, ScrapedServer server, string path) : Contender(name, operations: 1)
{
    private readonly Uri _address = new(server.Address, path);
    private readonly byte[] _buffer = new byte[1 << 16];

    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        for (int i = 0; i < operations; i++)
        {
            using HttpRequestMessage request = new(HttpMethod.Get, _address);
            using HttpResponseMessage response = client.Send(request, HttpCompletionOption.ResponseHeadersRead);
            response.EnsureSuccessStatusCode();
            using Stream stream = response.Content.ReadAsStream();
            long length = 0;
            while (stream.Read(_buffer) is var read and > 0)
            {
                length += read;
            }

            Require(length == server.Length, $"received {length} bytes; expected {server.Length}.");
        }
    }
}
