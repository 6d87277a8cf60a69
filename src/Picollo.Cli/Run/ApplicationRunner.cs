using Picollo.Diagnostics;

namespace Picollo.Cli.Run;

/// <summary>Runs an application with the startup hook, and prints the address of its page.</summary>
/// <remarks>The processes that load the hook write files to a folder: "sdk-PID" and "hook-PID" when they load it, "line-PID-N" with a line
/// to print, and "report" with the page at the end.</remarks>
internal sealed class ApplicationRunner(Terminal terminal, RunOptions options, Interrupt interrupt)
{
    private const string HookVariable = "DOTNET_STARTUP_HOOKS";
    private const string Report = "report";

    private const string NotLoaded =
        "picollo: nothing is measured, because no application has loaded the startup hook. Only .NET applications load it. Those compiled "
        + "with Native AOT do not, nor do those with PublishTrimmed or PublishAot in the project without "
        + "<StartupHookSupport>true</StartupHookSupport>.";

    // The time after which an application that has not loaded the hook will not load it. `dotnet run` first builds.
    private static readonly TimeSpan MaxWait = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan MaxWaitForSdk = TimeSpan.FromMinutes(1);

    private static readonly TimeSpan PollInterval = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan PollIntervalAfterAddress = TimeSpan.FromSeconds(0.5); // 50 ms take 0.9 % of a processor

    private readonly HashSet<string> _seen = new(StringComparer.Ordinal);
    private bool _hasWarned;

    public static int Run(Terminal terminal, RunOptions options)
    {
        using Interrupt interrupt = new();
        return new ApplicationRunner(terminal, options, interrupt).Run();
    }

    private int Run()
    {
        string hook = HookFiles.Extract();
        string folder = CreateFolder();
        try
        {
            string? others = Environment.GetEnvironmentVariable(HookVariable);
            CommandMeter meter = new()
            {
                Environment = new Dictionary<string, string?>
                {
                    [HookVariable] = others is { Length: > 0 } ? $"{hook}{Path.PathSeparator}{others}" : hook,
                    ["PICOLLO_STATE"] = folder,
                    ["PICOLLO_PORT"] = options.Port,
                    ["PICOLLO_MEASURE"] = options.Measure,
                    ["PICOLLO_METERS"] = string.Join(',', options.Meters),
                    ["PICOLLO_OTLP"] = options.IsExporting ? "1" : null,
                    ["PICOLLO_REPORT"] = options.HtmlPath is null ? null : "1",
                },
            };
            using RunningCommand running = meter.Start(options.Command);
            using CancellationTokenSource end = new();
            Task watching = WatchAsync(folder, end.Token);
            CommandSignals signals = new(interrupt);
            signals.ForwardAll();
            int exitCode = signals.Wait(running, isInOwnGroup: false).ExitCode;
            end.Cancel();
            watching.GetAwaiter().GetResult();
            bool isComplete = options.HtmlPath is null || WriteReport(Path.Combine(folder, Report), options.HtmlPath);
            return isComplete || exitCode != ExitCodes.Success ? exitCode : ExitCodes.Failure;
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    /// <summary>Creates a folder that only this user can use.</summary>
    private static string CreateFolder()
    {
        try
        {
            return Directory.CreateTempSubdirectory("picollo-").FullName;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw CommandException.OfFile(Path.GetTempPath(), e);
        }
    }

    private bool WriteReport(string source, string path)
    {
        if (!File.Exists(source))
        {
            string reason = Has("hook-") ? "the application was ended before it could" : "nothing was measured";
            terminal.Error.WriteLine(ForeignText.Clean($"picollo: {path} was not written, because {reason}."));
            return false;
        }

        OutputFile.Write(path, file => file.Write(File.ReadAllBytes(source)));
        terminal.Error.WriteLine(ForeignText.Clean($"picollo: wrote {path}"));
        return true;
    }

    private async Task WatchAsync(string folder, CancellationToken end)
    {
        long start = Stopwatch.GetTimestamp();
        while (!end.IsCancellationRequested)
        {
            Show(folder);
            WarnAfter(Stopwatch.GetElapsedTime(start));
            TimeSpan interval = Has("line-") ? PollIntervalAfterAddress : PollInterval;
            await Task.Delay(interval, end).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }

        Show(folder);
        WarnAfter(TimeSpan.MaxValue);
    }

    private void WarnAfter(TimeSpan time)
    {
        TimeSpan limit = Has("sdk-") ? MaxWaitForSdk : MaxWait;
        if (!_hasWarned && time > limit && !Has("hook-"))
        {
            _hasWarned = true;
            terminal.Error.WriteLine(NotLoaded);
        }
    }

    private bool Has(string prefix) => _seen.Any(name => name.StartsWith(prefix, StringComparison.Ordinal));

    /// <summary>Prints each line once.</summary>
    private void Show(string folder)
    {
        foreach (string path in Directory.EnumerateFiles(folder).Order(StringComparer.Ordinal))
        {
            string name = Path.GetFileName(path);
            if (!name.StartsWith('.') && _seen.Add(name) && name.StartsWith("line-", StringComparison.Ordinal))
            {
                terminal.Error.WriteLine(ForeignText.Clean($"picollo: {File.ReadAllText(path)}"));
            }
        }
    }
}
