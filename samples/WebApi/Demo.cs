using System.Text.Json;
using Picollo.Metrics;

namespace Picollo.Samples.Web;

/// <summary>Starts the application on a free port, sends requests, and prints the data of its page and its metrics.</summary>
public static class Demo
{
    /// <summary>Runs the demo.</summary>
    public static async Task RunAsync(TimeSpan duration, TextWriter output, CancellationToken cancellation)
    {
        await using WebApplication application = Api.Create(["--urls", "http://127.0.0.1:0", "--Logging:LogLevel:Default", "None"]);
        await application.StartAsync(cancellation);
        using HttpClient client = new() { BaseAddress = new Uri(application.Urls.Single()) };
        await output.WriteLineAsync($"{client.BaseAddress} under load for {duration.TotalSeconds:0} s\n");
        long sent = await Load.SendAsync(client, duration, cancellation);
        string timing = await ServerTimingOfAsync(client, "/primes/100000", cancellation);

        using JsonDocument usage = JsonDocument.Parse(await client.GetStringAsync("/picollo/json", cancellation));
        WriteRoutes(usage.RootElement, output);
        WriteHistograms(usage.RootElement, output);
        await output.WriteLineAsync($"{sent:N0} requests were sent. The response of GET /primes/100000 has Server-Timing: {timing}\n");
        string page = await client.GetStringAsync("/picollo", cancellation);
        await output.WriteLineAsync($"GET /picollo: a page of {page.Length:N0} characters with {page.Split("<figure>").Length - 1} plots\n");
        WriteExposition(await client.GetStringAsync("/picollo/metrics", cancellation), output);
        await application.StopAsync(cancellation);
        await output.WriteLineAsync("\nTo view the page, run: dotnet run -c Release --project samples/WebApi, and open http://127.0.0.1:5080/picollo in a browser.");
    }

    private static async Task<string> ServerTimingOfAsync(HttpClient client, string path, CancellationToken cancellation)
    {
        using HttpResponseMessage response = await client.GetAsync(path, cancellation);
        return response.Headers.GetValues("Server-Timing").Single();
    }

    private static void WriteRoutes(JsonElement usage, TextWriter output)
    {
        MarkdownTable table = new("lrrrrrrrrrr", ["Route", "Requests", "per second", "Machine", "CPU p50", "p90", "p99", "p99.9", "Wall p50", "p99", "p99.9"]);
        foreach (JsonElement route in usage.GetProperty("routes").EnumerateArray().OrderByDescending(route => route.GetProperty("machineShare").GetDouble()))
        {
            JsonElement cpu = route.GetProperty("cpuSeconds");
            JsonElement wall = route.GetProperty("wallSeconds");
            table.Add(
                $"{route.GetProperty("method").GetString()} {route.GetProperty("route").GetString()}",
                $"{route.GetProperty("count").GetUInt64():N0}",
                $"{route.GetProperty("rate").GetDouble():0.0}",
                $"{route.GetProperty("machineShare").GetDouble() * 100:0.0} %",
                Milliseconds(cpu, "p50"), Milliseconds(cpu, "p90"), Milliseconds(cpu, "p99"), Milliseconds(cpu, "p99.9"),
                Milliseconds(wall, "p50"), Milliseconds(wall, "p99"), Milliseconds(wall, "p99.9"));
        }

        output.WriteLine(table.ToString($"Requests over {usage.GetProperty("windowSeconds").GetDouble():0} s, milliseconds, {usage.GetProperty("processors").GetInt32()} processors (GET /picollo/json)"));
        double requests = usage.GetProperty("routes").EnumerateArray().Sum(route => route.GetProperty("machineShare").GetDouble());
        output.WriteLine($"Requests used {requests * 100:0} % of the machine's CPU time. The process used {usage.GetProperty("processMachineShare").GetDouble() * 100:0} %, including the client that sends the requests.\n");
    }

    private static void WriteHistograms(JsonElement usage, TextWriter output)
    {
        MarkdownTable table = new("lrrrrrl", ["Histogram", "Values", "p50", "p99", "p99.99", "max", "Unit"]);
        foreach (JsonElement histogram in usage.GetProperty("histograms").EnumerateArray())
        {
            JsonElement values = histogram.GetProperty("values");
            table.Add(
                string.Join(' ', histogram.GetProperty("labels").EnumerateObject().Select(label => label.Value.GetString())
                    .Prepend(histogram.GetProperty("name").GetString())),
                $"{histogram.GetProperty("count").GetUInt64():N0}",
                Value(values, "p50"), Value(values, "p99"), Value(values, "p99.99"), Value(values, "max"),
                histogram.GetProperty("unit").GetString()!);
        }

        output.WriteLine(table.ToString("Registered histograms"));
    }

    private static string Value(JsonElement quantiles, string name) => $"{quantiles.GetProperty(name).GetDouble():#,0.####}";

    private static string Milliseconds(JsonElement quantiles, string name) => $"{quantiles.GetProperty(name).GetDouble() * 1000:0.00}";

    private static void WriteExposition(string metrics, TextWriter output)
    {
        string[] lines = metrics.Split('\n');
        output.WriteLine($"GET /picollo/metrics: {lines.Count(line => line.Length > 0 && line[0] != '#'):N0} samples, {metrics.Length:N0} bytes. Some lines of GET /orders/{{id:int}}:");
        output.WriteLine(lines.First(line => line.StartsWith("# HELP picollo_http_server_request_cpu_time", StringComparison.Ordinal)));
        output.WriteLine(lines.First(line => line.StartsWith("# TYPE picollo_http_server_request_cpu_time", StringComparison.Ordinal)));
        string[] own = [.. lines.Where(line =>
            line.StartsWith("picollo_http_server_request_cpu_time", StringComparison.Ordinal)
            && line.Contains("\"GET\"", StringComparison.Ordinal) && line.Contains("\"/orders/{id:int}\"", StringComparison.Ordinal))];
        string[] shown = [.. own.Where((line, i) => i % 14 == 0 && i < own.Length - 3), .. own.TakeLast(3)];
        output.WriteLine(string.Join('\n', shown));
    }
}
