namespace Picollo.Platform.Tests.Wine;

/// <summary>
/// The repository's programs, published self-contained for win-x64 and each run once under Wine in a prefix of its own. (Wine 8
/// starts no single-file program: the runtime then maps itself in a way it does not know.)
/// </summary>
public sealed class WineFixture : IDisposable
{
    // On a busy machine, the runtime of .NET 10 sometimes ends so under Wine 8 (one of some twenty runs, November 2026).
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

    /// <summary>What the contracts in tests/HelperApp printed: a line for each test.</summary>
    internal IReadOnlyList<string> Contracts => _contracts.Value;

    public void Dispose()
    {
        if (_hasPrefix)
        {
            // Ends this prefix's server, and with it Wine's services, so that the folder can go. "-k" fails where the
            // server has ended by itself.
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
            // Wine's own start-up (it fills the prefix, some seconds) apart from the program's output.
            _hasPrefix = true;
            Tool.Run("wineboot", _scratch, Environment(), "--init");
        }

        try
        {
            return Run();
        }
        catch (InvalidOperationException fatal) when (fatal.Message.Contains(InternalRuntimeError, StringComparison.Ordinal))
        {
            Console.WriteLine($"{program} runs once more under Wine, because its runtime ended with an internal error:\n{fatal.Message}");
            return Run();
        }

        string Run() => Tool.Run("wine", published, Environment(), [$"{program}.exe", .. arguments]);
    }

    // No display, no chatter. The mscoree override that silences Wine's offer of Mono must not be set: without
    // mscoree Wine's loader refuses assemblies that hold nothing but IL.
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
