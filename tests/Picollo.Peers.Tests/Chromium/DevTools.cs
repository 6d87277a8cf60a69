using System.Net.WebSockets;
using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;

namespace Picollo.Peers.Tests.Chromium;

/// <summary>The part of the Chrome DevTools Protocol (chromedevtools.github.io/devtools-protocol) that the tests need. Not thread-safe.</summary>
internal sealed class DevTools : IAsyncDisposable
{
    private static readonly TimeSpan Deadline = TimeSpan.FromSeconds(60);

    private readonly ClientWebSocket _socket = new();
    private readonly List<JsonNode> _events = [];
    private int _lastId;

    private DevTools()
    {
    }

    public static async Task<DevTools> ConnectAsync(Uri address)
    {
        DevTools tools = new();
        await tools._socket.ConnectAsync(address, CancellationToken.None);
        foreach (string domain in new[] { "Page", "Runtime", "Log" })
        {
            await tools.SendAsync($"{domain}.enable");
        }

        return tools;
    }

    public async Task<JsonNode> SendAsync(string method, JsonObject? parameters = null)
    {
        int id = ++_lastId;
        JsonObject message = new() { ["id"] = id, ["method"] = method, ["params"] = parameters ?? [] };
        using CancellationTokenSource deadline = new(Deadline);
        await _socket.SendAsync(Encoding.UTF8.GetBytes(message.ToJsonString()), WebSocketMessageType.Text, true, deadline.Token);
        while (true)
        {
            JsonNode answer = await ReceiveAsync(deadline.Token);
            if ((int?)answer["id"] == id)
            {
                return answer["result"] ?? throw new InvalidOperationException($"{method}: {answer["error"]}");
            }
        }
    }

    /// <summary>Loads a page and returns its complaints: console messages, exceptions and policy violations.</summary>
    public async Task<IReadOnlyList<string>> NavigateAsync(string address)
    {
        // Complaints of the previous page, for example about a server that has ended, do not count.
        await LoadAsync("about:blank");
        await LoadAsync(address);

        // By then, all complaints about loading have arrived.
        await WaitForFrameAsync();
        return Complaints;
    }

    /// <summary>The complaints of the page since it was loaded.</summary>
    public IReadOnlyList<string> Complaints =>
    [
        .. _events
            .Where(one => (string?)one["method"] is "Log.entryAdded" or "Runtime.exceptionThrown" or "Runtime.consoleAPICalled")
            .Select(one => one["params"]!.ToJsonString()),
    ];

    /// <summary>Returns the value of an expression, or the result of its promise.</summary>
    public async Task<JsonNode?> EvaluateAsync(string expression)
    {
        JsonNode result = await SendAsync(
            "Runtime.evaluate", new() { ["expression"] = expression, ["returnByValue"] = true, ["awaitPromise"] = true });
        return result["exceptionDetails"] is { } details
            ? throw new InvalidOperationException(details.ToJsonString())
            : result["result"]!["value"]?.DeepClone();
    }

    public async Task ResizeAsync(int width, int height, bool isDark)
    {
        await SendAsync(
            "Emulation.setDeviceMetricsOverride",
            new() { ["width"] = width, ["height"] = height, ["deviceScaleFactor"] = 1, ["mobile"] = false });
        JsonObject scheme = new() { ["name"] = "prefers-color-scheme", ["value"] = isDark ? "dark" : "light" };
        await SendAsync("Emulation.setEmulatedMedia", new() { ["features"] = new JsonArray(scheme) });
    }

    public Task MoveMouseAsync(double x, double y) =>
        SendAsync("Input.dispatchMouseEvent", new() { ["type"] = "mouseMoved", ["x"] = x, ["y"] = y });

    /// <summary>Waits for the next frame of the page, with or without a script: a screenshot needs one. A single pixel is fast.</summary>
    public Task WaitForFrameAsync()
    {
        JsonObject pixel = new() { ["x"] = 0, ["y"] = 0, ["width"] = 1, ["height"] = 1, ["scale"] = 1 };
        return SendAsync("Page.captureScreenshot", new() { ["clip"] = pixel });
    }

    public async Task<byte[]> CaptureAsync() => Convert.FromBase64String(
        (string)(await SendAsync("Page.captureScreenshot", new() { ["captureBeyondViewport"] = true }))["data"]!);

    /// <summary>Prints the page on A4 as a PDF.</summary>
    public async Task<byte[]> PrintAsync() => Convert.FromBase64String((string)(await SendAsync(
        "Page.printToPDF",
        new() { ["paperWidth"] = 8.27, ["paperHeight"] = 11.69, ["printBackground"] = true, ["preferCSSPageSize"] = false }))["data"]!);

    public async ValueTask DisposeAsync()
    {
        _socket.Abort();
        _socket.Dispose();
        await ValueTask.CompletedTask;
    }

    private async Task LoadAsync(string address)
    {
        _events.Clear();
        await SendAsync("Page.navigate", new() { ["url"] = address });
        using CancellationTokenSource deadline = new(Deadline);
        while (!_events.Any(one => (string?)one["method"] == "Page.loadEventFired"))
        {
            await ReceiveAsync(deadline.Token);
        }
    }

    private async Task<JsonNode> ReceiveAsync(CancellationToken cancellation)
    {
        byte[] buffer = new byte[1 << 16];
        using MemoryStream message = new();
        WebSocketReceiveResult part;
        do
        {
            part = await _socket.ReceiveAsync(buffer, cancellation);
            message.Write(buffer, 0, part.Count);
        }
        while (!part.EndOfMessage);

        JsonNode node = JsonNode.Parse(message.ToArray()) ?? throw new JsonException("an empty message");
        if (node["method"] is not null)
        {
            _events.Add(node);
        }

        return node;
    }
}
