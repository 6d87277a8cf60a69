using System.Diagnostics;
using System.Globalization;
using Picollo.Samples.CpuWorker.Serving;

namespace Picollo.Samples.CpuWorker.Driving;

/// <summary>The server in a process of its own. Disposing ends it.</summary>
public sealed class ServerProcess : IAsyncDisposable
{
    /// <summary>So many of the thread pool's threads leave one for each that a plain cap lets compute, and enough for the rest.</summary>
    public const int AmpleThreads = 8;

    private static readonly TimeSpan StartLimit = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan PoliteEnd = TimeSpan.FromSeconds(1);

    private readonly Process _process;
    private readonly HttpClient _client = new();

    private ServerProcess(Process process) => _process = process;

    public int Id => _process.Id;

    public Uri Address { get; private set; } = null!;

    /// <summary>What it says of its sizes.</summary>
    public string Description { get; private set; } = "";

    /// <param name="stop">Ends the wait for it.</param>
    /// <param name="options">The options of its pool; null for the defaults.</param>
    /// <param name="minThreads">Of the thread pool; the runtime's default, the number of processors, if null.</param>
    /// <exception cref="DriverException">It did not start.</exception>
    public static async Task<ServerProcess> StartAsync(CancellationToken stop, DemoOptions? options = null, int? minThreads = null)
    {
        (string program, string[] arguments) = Command();
        ProcessStartInfo start = new(program, [.. arguments, .. ((options ?? new DemoOptions()) with { Port = 0, EndsWithInput = true }).ToArguments()])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
        };
        // The runtime's diagnostics leave a socket in the temporary folder when their process is killed.
        start.Environment["DOTNET_EnableDiagnostics"] = "0";
        if (minThreads is { } threads)
        {
            start.Environment["DOTNET_ThreadPool_ForceMinWorkerThreads"] = threads.ToString("x", CultureInfo.InvariantCulture);
        }

        ServerProcess server = new(Process.Start(start) ?? throw new DriverException("the server did not start"));
        try
        {
            await server.ReadAddressAsync().WaitAsync(StartLimit, stop);
            return server;
        }
        catch
        {
            await server.DisposeAsync();
            throw;
        }
    }

    /// <summary>What it has computed up to now.</summary>
    public async Task<WorkDone> GetWorkDoneAsync(CancellationToken stop)
    {
        string[] parts = (await _client.GetStringAsync(new Uri(Address, "work"), stop)).Split(' ');
        return new WorkDone(Number(parts[0]), Number(parts[1]), Number(parts[2]));
    }

    /// <summary>How long small requests were in the pool, from the call to its result, since this was last asked.</summary>
    public async Task<Latencies> TakeSmallTimesAsync(CancellationToken stop)
    {
        string text = await _client.GetStringAsync(new Uri(Address, "smallNanoseconds"), stop);
        return Latencies.Of([.. text.Split(' ').Select(nanoseconds => Number(nanoseconds) / 1e6)]);
    }

    public async ValueTask DisposeAsync()
    {
        _client.Dispose();
        if (!_process.HasExited)
        {
            _process.StandardInput.Close();
            try
            {
                await _process.WaitForExitAsync().WaitAsync(PoliteEnd);
            }
            catch (TimeoutException)
            {
                _process.Kill();
                await _process.WaitForExitAsync();
            }
        }

        _process.Dispose();
    }

    private async Task ReadAddressAsync()
    {
        string? line = await _process.StandardOutput.ReadLineAsync();
        if (line is null || !line.StartsWith(ServeCommand.Ready, StringComparison.Ordinal))
        {
            throw new DriverException($"the server did not start: {line ?? "it ended"}");
        }

        Address = new Uri(line[ServeCommand.Ready.Length..]);
        Description = await _process.StandardOutput.ReadLineAsync() ?? "";
    }

    private static double Number(string text) => double.Parse(text, CultureInfo.InvariantCulture);

    /// <summary>This program once more, also where another one has loaded it, as a test host does.</summary>
    private static (string Program, string[] Arguments) Command()
    {
        string assembly = typeof(ServerProcess).Assembly.GetName().Name!;
        string? program = Environment.ProcessPath;
        return Path.GetFileNameWithoutExtension(program) == assembly
            ? (program!, [])
            : (Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") ?? "dotnet", ["exec", Path.Combine(AppContext.BaseDirectory, assembly + ".dll")]);
    }
}

/// <summary>What a server has computed.</summary>
/// <param name="Big">Big requests' work.</param>
/// <param name="Small">Small requests' work.</param>
/// <param name="Seconds">When, on the server's clock.</param>
public readonly record struct WorkDone(double Big, double Small, double Seconds)
{
    /// <summary>Big requests' work a second, since.</summary>
    public double BigPerSecondSince(WorkDone earlier) => (Big - earlier.Big) / (Seconds - earlier.Seconds);
}
