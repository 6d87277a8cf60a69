using System.Diagnostics;
using System.Net;
using System.Net.Sockets;

namespace Picollo.Peers.Tests.OpenTelemetry;

/// <summary>A foreign server that receives OTLP on free ports of this machine. Its data is deleted when it ends.</summary>
internal abstract class OtlpPeer : IAsyncDisposable
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    private Process? _process;

    /// <summary>The address of its page, which exists when the server is ready.</summary>
    public Uri Address { get; } = FreeAddress();

    /// <summary>The address for exporters.</summary>
    public abstract Uri Endpoint { get; }

    public virtual bool UsesGrpc => false;

    /// <summary>The relative address that exists when the server is ready.</summary>
    protected abstract string HealthPath { get; }

    protected string Folder { get; } = Directory.CreateTempSubdirectory("picollo-peer-").FullName;

    protected HttpClient Client { get; } = new();

    /// <summary>Starts the server, also again after it was stopped.</summary>
    public async Task StartAsync()
    {
        ProcessStartInfo start = StartInfo();
        (start.RedirectStandardError, start.RedirectStandardOutput) = (true, true);
        _process = Process.Start(start)!;
        _process.BeginErrorReadLine();
        _process.BeginOutputReadLine();
        await UntilAsync("the server is ready", async () =>
        {
            try
            {
                await Client.GetStringAsync(new Uri(Address, HealthPath));
                return true;
            }
            catch (HttpRequestException)
            {
                _process.HasExited.Should().BeFalse("the server should run");
                return false;
            }
        });
    }

    public async Task StopAsync()
    {
        if (_process is not null)
        {
            _process.Kill();
            await _process.WaitForExitAsync();
            _process.Dispose();
            _process = null;
        }
    }

    /// <summary>Stops the threads of the server, which then accepts connections but does not answer.</summary>
    public void Suspend() => Signal("-STOP");

    public void Resume() => Signal("-CONT");

    /// <summary>Waits until the last data point of a histogram has a count, because received data can be visible with a delay.</summary>
    public Task WaitForCountAsync(string histogram, ulong count) =>
        UntilAsync($"{histogram} has the count {count}", async () => await CountAsync(histogram) == count);

    /// <summary>Returns the count of the last data point of a histogram with one series; null if there is none.</summary>
    public abstract Task<ulong?> CountAsync(string histogram);

    public async ValueTask DisposeAsync()
    {
        Client.Dispose();
        await StopAsync();
        Directory.Delete(Folder, recursive: true);
    }

    protected abstract ProcessStartInfo StartInfo();

    protected static Uri FreeAddress()
    {
        using TcpListener free = new(IPAddress.Loopback, 0);
        free.Start();
        return new Uri($"http://{free.LocalEndpoint}/");
    }

    protected static async Task UntilAsync(string description, Func<Task<bool>> condition)
    {
        Stopwatch elapsed = Stopwatch.StartNew();
        while (!await condition())
        {
            if (elapsed.Elapsed > Patience)
            {
                throw new TimeoutException($"It is not true after {Patience} that {description}.");
            }

            await Task.Delay(100);
        }
    }

    private void Signal(string signal) => Tool.Run("kill", Folder, new Dictionary<string, string?>(), signal, $"{_process!.Id}");
}
