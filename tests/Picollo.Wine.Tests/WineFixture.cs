namespace Picollo.Wine.Tests;

/// <summary>
/// The consumer program, published self-contained for win-x64 and run once under Wine in a prefix of its own. (Wine 8
/// starts no single-file program: the runtime then maps itself in a way it does not know.)
/// </summary>
public sealed class WineFixture : IDisposable
{
    private readonly string _scratch = Directory.CreateTempSubdirectory("picollo-wine-").FullName;
    private readonly Lazy<ConsumerOutput> _output;

    public WineFixture() => _output = new Lazy<ConsumerOutput>(PublishAndRun);

    internal ConsumerOutput Output => _output.Value;

    public void Dispose()
    {
        if (_output.IsValueCreated)
        {
            // Ends this prefix's server, and with it Wine's services, so that the folder can go. "-k" fails where the
            // server has ended by itself.
            Tool.Run("sh", _scratch, Environment(), "-c", "wineserver -k; wineserver -w");
        }

        Directory.Delete(_scratch, recursive: true);
    }

    private ConsumerOutput PublishAndRun()
    {
        var published = Path.Combine(_scratch, "app");
        Tool.Dotnet(Path.Combine(Repository.Root, "tests", "ConsumerApp"),
            "publish", "-c", "Release", "-r", "win-x64", "--self-contained", "-o", published,
            "--artifacts-path", Path.Combine(Repository.Root, "artifacts", "wine-tests"));

        // Wine's own start-up (it fills the prefix, some seconds) apart from the program's output.
        Tool.Run("wineboot", _scratch, Environment(), "--init");
        return new ConsumerOutput(Tool.Run("wine", published, Environment(), "ConsumerApp.exe"));
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
