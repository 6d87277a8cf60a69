using System.Diagnostics;
using System.Text.Json;

namespace Picollo.Peers.Tests.Prometheus;

/// <summary>A web application, samples/WebApi by default, in a separate process.</summary>
internal sealed class SampleProcess : IAsyncDisposable
{
    private const string Listening = "Now listening on: ";

    private readonly Process _process;
    private readonly HttpClient _client = new();

    public SampleProcess(string? program = null)
    {
        program ??= Path.Combine(AppContext.BaseDirectory, "WebApi.dll");
        ProcessStartInfo start = new(Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") ?? "dotnet")
        {
            ArgumentList = { program, "--urls", "http://127.0.0.1:0" },
            WorkingDirectory = Path.GetDirectoryName(program),
            RedirectStandardOutput = true,
        };
        _process = Process.Start(start)!;
        string? line;
        do
        {
            line = _process.StandardOutput.ReadLine() ?? throw new InvalidOperationException("The process ended.");
        }
        while (!line.Contains(Listening, StringComparison.Ordinal));

        Address = new Uri(line[(line.IndexOf(Listening, StringComparison.Ordinal) + Listening.Length)..]);
        _ = _process.StandardOutput.BaseStream.CopyToAsync(Stream.Null); // discards its log, so that a full pipe does not stop it
    }

    public Uri Address { get; }

    public Task Get(string path) => _client.GetStringAsync(new Uri(Address, path));

    public async ValueTask DisposeAsync()
    {
        _client.Dispose();
        _process.Kill();
        await _process.WaitForExitAsync();
        _process.Dispose();
    }

    public async Task<JsonDocument> GetJson(string path) => JsonDocument.Parse(await _client.GetByteArrayAsync(new Uri(Address, path)));
}
