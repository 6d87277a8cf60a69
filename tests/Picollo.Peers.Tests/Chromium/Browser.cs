using System.Diagnostics;
using System.Text.Json;

namespace Picollo.Peers.Tests.Chromium;

/// <summary>A headless Chromium with one page, for all tests of a class.</summary>
/// <remarks>The sandbox is off, because it does not work for root and in containers. The browser shows only pages of these tests.</remarks>
public sealed class Browser : IAsyncLifetime
{
    /// <summary>A host name of this machine that the browser does not trust, so that it does not send Sec-Fetch-Site.</summary>
    public const string UntrustedHost = "picollo.test";

    private static readonly TimeSpan StartDeadline = TimeSpan.FromSeconds(60);

    private readonly string _folder = Directory.CreateTempSubdirectory("picollo-chromium-").FullName;
    private Process? _process;

    /// <summary>The page.</summary>
    internal DevTools Page { get; private set; } = null!;

    /// <summary>Starts the browser and waits until it listens.</summary>
    public async Task InitializeAsync()
    {
        if (Needs.Browser is not { } program)
        {
            return;
        }

        string[] arguments =
        [
            "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--disable-background-networking",
            $"--host-resolver-rules=MAP {UntrustedHost} 127.0.0.1",
            "--remote-debugging-port=0", $"--user-data-dir={_folder}", "about:blank",
        ];
        _process = Process.Start(new ProcessStartInfo(program, arguments) { RedirectStandardOutput = true, RedirectStandardError = true })!;
        _process.OutputDataReceived += (_, _) => { };
        _process.ErrorDataReceived += (_, _) => { };
        _process.BeginOutputReadLine();
        _process.BeginErrorReadLine();
        int port = await PortAsync();
        using HttpClient client = new();
        using JsonDocument targets = JsonDocument.Parse(await client.GetStringAsync($"http://127.0.0.1:{port}/json/list"));
        string address = targets.RootElement.EnumerateArray()
            .First(target => target.GetProperty("type").GetString() == "page")
            .GetProperty("webSocketDebuggerUrl").GetString()!;
        Page = await DevTools.ConnectAsync(new Uri(address));
    }

    /// <summary>Ends the browser and removes its files.</summary>
    public async Task DisposeAsync()
    {
        if (_process is not null)
        {
            await Page.DisposeAsync();
            _process.Kill(entireProcessTree: true);
            await _process.WaitForExitAsync();
            _process.Dispose();
        }

        for (int attempt = 0; Directory.Exists(_folder); attempt++)
        {
            try
            {
                Directory.Delete(_folder, recursive: true);
            }
            catch (IOException) when (attempt < 20)
            {
                await Task.Delay(100); // a child process that is ending may still write
            }
        }
    }

    /// <summary>Shows a text as a file with a name.</summary>
    internal async Task<IReadOnlyList<string>> ShowAsync(string name, string text, int width = 1280, bool isDark = false)
    {
        string path = Path.Combine(_folder, name);
        await File.WriteAllTextAsync(path, text);
        await Page.ResizeAsync(width, 900, isDark);
        return await Page.NavigateAsync(new Uri(path).AbsoluteUri);
    }

    /// <summary>Writes a screenshot of the page for manual review if <c>PICOLLO_APPROVE</c> is 1. Screenshots take most of the time.</summary>
    internal async Task KeepAsync(string name)
    {
        if (Environment.GetEnvironmentVariable("PICOLLO_APPROVE") != "1")
        {
            return;
        }

        string folder = Path.Combine(Repository.Root, "artifacts", "test-results", "chromium");
        Directory.CreateDirectory(folder);
        await File.WriteAllBytesAsync(Path.Combine(folder, name + ".png"), await Page.CaptureAsync());
    }

    // The browser writes this file when it listens. The first line is the port.
    private async Task<int> PortAsync()
    {
        string file = Path.Combine(_folder, "DevToolsActivePort");
        Stopwatch waited = Stopwatch.StartNew();
        while (true)
        {
            if (File.Exists(file) && (await File.ReadAllTextAsync(file)).Split('\n') is [var port, _, ..])
            {
                return int.Parse(port, System.Globalization.CultureInfo.InvariantCulture);
            }

            if (_process!.HasExited || waited.Elapsed > StartDeadline)
            {
                throw new InvalidOperationException($"The browser did not start to listen within {StartDeadline}, or ended.");
            }

            await Task.Delay(50);
        }
    }
}
