namespace Picollo.Platform.Tests.Wine;

/// <summary>
/// The repository's programs, published self-contained for win-x64. Each runs once under Wine in a separate prefix. (Wine 8 cannot start
/// single-file programs, because it does not support the way in which their runtime maps itself.)
/// </summary>
public sealed class WineFixture : IDisposable
{
    // On a busy machine, the runtime of .NET 10 sometimes ends with this error under Wine 8 (about one of twenty runs, November 2026).
    private const string InternalRuntimeError = "0x80131506"; // COR_E_EXECUTIONENGINE

    private readonly string _scratch = Directory.CreateTempSubdirectory("picollo-wine-").FullName;
    private readonly Lazy<ConsumerOutput> _consumer;
    private readonly Lazy<string[]> _contracts;
    private bool _hasPrefix;

    public WineFixture()
    {
        _consumer = new Lazy<ConsumerOutput>(() => new ConsumerOutput(PublishAndRun("ConsumerApp")));
        _contracts = new Lazy<string[]>(() => PublishAndRun("HelperApp", "contracts").Split('\n', StringSplitOptions.RemoveEmptyEntries));
    }

    internal ConsumerOutput Output => _consumer.Value;

    /// <summary>The output of the contracts in tests/HelperApp, with a line per test.</summary>
    internal IReadOnlyList<string> Contracts => _contracts.Value;

    public void Dispose()
    {
        if (_hasPrefix)
        {
            // Ends the server of this prefix and Wine's services, so that the folder can be deleted. "-k" fails if the server has already
            // exited.
            Tool.Run("sh", _scratch, Environment(), "-c", "wineserver -k; wineserver -w");
        }

        Directory.Delete(_scratch, recursive: true);
    }

    private string PublishAndRun(string program, params string[] arguments)
    {
        var published = Path.Combine(_scratch, program);
        Publishing.SelfContained(program, "win-x64", published);

        if (!_hasPrefix)
        {
            // Wine is started separately first, because it takes a few seconds to fill the prefix, and its output would be mixed with the
            // program's output.
            _hasPrefix = true;
            Tool.Run("wineboot", _scratch, Environment(), "--init");
        }

        try
        {
            return Run();
        }
        catch (InvalidOperationException fatal) when (fatal.Message.Contains(InternalRuntimeError, StringComparison.Ordinal))
        {
            Console.WriteLine($"{program} is run again under Wine, because its runtime ended with an internal error:\n{fatal.Message}");
            return Run();
        }

        string Run() => Tool.Run("wine", published, Environment(), [$"{program}.exe", .. arguments]);
    }

    // No display and no debug output. The mscoree override that disables Wine's offer of Mono must not be set: without mscoree, Wine's
    // loader rejects assemblies that contain only IL.
    private Dictionary<string, string?> Environment() => new()
    {
        ["WINEPREFIX"] = Path.Combine(_scratch, "prefix"),
        ["WINEDEBUG"] = "-all",
        ["DISPLAY"] = null,
        ["WAYLAND_DISPLAY"] = null,
    };
}

/// <summary>One prefix and one run of each program for all classes.</summary>
[CollectionDefinition(Name)]
public sealed class UnderWine : ICollectionFixture<WineFixture>
{
    public const string Name = "Wine";
}
