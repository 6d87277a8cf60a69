using System.Diagnostics;
using System.Globalization;
using Picollo.Samples.CpuWorker.Serving;

namespace Picollo.Samples.CpuWorker.Driving;

/// <summary>The server in a separate process. Disposing ends the process.</summary>
public sealed class ServerProcess : IAsyncDisposable
{
    /// <summary>A number of thread pool threads that is sufficient both for the requests that the semaphore admits and for all other requests.</summary>
    public const int AmpleThreads = 8;

    private static readonly TimeSpan StartLimit = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan ExitLimit = TimeSpan.FromSeconds(1);

    private readonly Process _process;
    private readonly HttpClient _client = new();

    private ServerProcess(Process process) => _process = process;

    public int Id => _process.Id;

    public Uri Address { get; private set; } = null!;

    /// <summary>The description of the pool and the tasks that the server prints.</summary>
    public string Description { get; private set; } = "";

    /// <summary>Starts a server.</summary>
    /// <param name="stop">A token that cancels the start.</param>
    /// <param name="options">The options of the pool, or <see langword="null"/> for the defaults.</param>
    /// <param name="minThreads">The minimum number of thread pool threads, or <see langword="null"/> for the number of processors, the default of
    /// the runtime.</param>
    /// <exception cref="DriverException">The server did not start.</exception>
    public static async Task<ServerProcess> StartAsync(CancellationToken stop, DemoOptions? options = null, int? minThreads = null)
    {
        (string program, string[] arguments) = Command();
        ProcessStartInfo start = new(program, [.. arguments, .. ((options ?? new DemoOptions()) with { Port = 0, EndsWithInput = true }).ToArguments()])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
        };
        // If the process is killed, the runtime's diagnostics leave a socket in the temporary directory.
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

    /// <summary>Reads the work that the server has done so far.</summary>
    public async Task<WorkDone> GetWorkDoneAsync(CancellationToken stop)
    {
        string[] parts = (await _client.GetStringAsync(new Uri(Address, "work"), stop)).Split(' ');
        return new WorkDone(Number(parts[0]), Number(parts[1]), Number(parts[2]));
    }

    /// <summary>Reads the times of small requests in the pool, from the call to its result, since the previous call of this method.</summary>
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
                await _process.WaitForExitAsync().WaitAsync(ExitLimit);
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
            throw new DriverException($"the server did not start: {line ?? "the process exited"}");
        }

        Address = new Uri(line[ServeCommand.Ready.Length..]);
        Description = await _process.StandardOutput.ReadLineAsync() ?? "";
    }

    private static double Number(string text) => double.Parse(text, CultureInfo.InvariantCulture);

    /// <summary>Returns the command that starts this program, also if another program, such as a test host, has loaded it.</summary>
    private static (string Program, string[] Arguments) Command()
    {
        string assembly = typeof(ServerProcess).Assembly.GetName().Name!;
        string? program = Environment.ProcessPath;
        return Path.GetFileNameWithoutExtension(program) == assembly
            ? (program!, [])
            : (Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") ?? "dotnet", ["exec", Path.Combine(AppContext.BaseDirectory, assembly + ".dll")]);
    }
}

/// <summary>The work that a server has done.</summary>
/// <param name="Big">The number of big requests, including parts of requests.</param>
/// <param name="Small">The number of small requests, including parts of requests.</param>
/// <param name="Seconds">The time on the server's clock, in seconds.</param>
public readonly record struct WorkDone(double Big, double Small, double Seconds)
{
    /// <summary>Returns the number of big requests per second since an earlier reading.</summary>
    public double BigPerSecondSince(WorkDone earlier) => (Big - earlier.Big) / (Seconds - earlier.Seconds);
}
