namespace Picollo.AspNetCore.Tests.Page;

/// <summary>Reads server-sent events as a browser does.</summary>
internal sealed class EventReader(HttpResponseMessage response, StreamReader lines) : IAsyncDisposable
{
    public static async Task<EventReader> OpenAsync(PageServer server, string query)
    {
        HttpResponseMessage response = await server.Client.GetAsync("/picollo/events" + query, HttpCompletionOption.ResponseHeadersRead);
        response.EnsureSuccessStatusCode();
        return new EventReader(response, new StreamReader(await response.Content.ReadAsStreamAsync()));
    }

    /// <summary>Returns the next event, or an event with an empty name at the end of the stream.</summary>
    public async Task<(string Name, string Data)> NextAsync()
    {
        string name = "";
        List<string> data = [];
        while (await lines.ReadLineAsync() is { } line)
        {
            if (line.Length == 0)
            {
                if (data.Count > 0)
                {
                    return (name, string.Join('\n', data));
                }

                name = "";
            }
            else if (line.StartsWith("event: ", StringComparison.Ordinal))
            {
                name = line[7..];
            }
            else if (line.StartsWith("data: ", StringComparison.Ordinal))
            {
                data.Add(line[6..]);
            }
            else
            {
                line.Should().Match(other => other.StartsWith(':') || other == "retry: 250", "all other lines are comments");
            }
        }

        return ("", "");
    }

    public ValueTask DisposeAsync()
    {
        lines.Dispose();
        response.Dispose();
        return ValueTask.CompletedTask;
    }
}
