namespace Picollo.AspNetCore.Tests.Requests;

/// <summary>Reads the responses of an application from its JSON and its exposition.</summary>
internal static class Responses
{
    /// <summary>Waits until a number of requests have been counted.</summary>
    /// <returns>The classes of a route that occurred, and their counts, such as "2xx 3, aborted 1".</returns>
    public static async Task<string> ClassesAsync(RequestApp app, int requests, string route)
    {
        await app.GetCountsAsync(requests);
        using JsonDocument json = JsonDocument.Parse(await app.Client.GetStringAsync("/picollo/json"));
        JsonElement row = json.RootElement.GetProperty("routes").EnumerateArray().Single(one => one.GetProperty("route").GetString() == route);
        string[] lines = [.. (await app.Client.GetStringAsync("/picollo/metrics")).Split('\n')];
        (string Name, long Count)[] classes =
            [.. row.GetProperty("responses").EnumerateObject().Select(one => (one.Name, one.Value.GetInt64())).Where(one => one.Item2 > 0)];
        foreach ((string name, long count) in classes)
        {
            lines.Should().ContainSingle(line => line.StartsWith("picollo_http_server_responses_total{", StringComparison.Ordinal)
                && line.EndsWith($"http_route=\"{route}\",response=\"{name}\"}} {count}", StringComparison.Ordinal));
        }

        return string.Join(", ", classes.Select(one => $"{one.Name} {one.Count}"));
    }

    /// <summary>Returns the labels of the durations of a route without its method and name, and their counts.</summary>
    public static async Task<string[]> DurationsAsync(RequestApp app, string route)
    {
        const string Name = "http_server_request_duration_seconds_count{";
        string[] lines = [.. (await app.Client.GetStringAsync("/picollo/metrics")).Split('\n')];
        return
        [
            .. lines.Where(line => line.StartsWith(Name, StringComparison.Ordinal) && line.Contains($"http_route=\"{route}\""))
                .Select(line => string.Join(
                    ' ',
                    line[Name.Length..].Split(',', '}').Where(label => !label.StartsWith("http_route", StringComparison.Ordinal)
                        && !label.StartsWith("http_request_method", StringComparison.Ordinal)).Select(label => label.Trim())))
                .Order(StringComparer.Ordinal),
        ];
    }
}
