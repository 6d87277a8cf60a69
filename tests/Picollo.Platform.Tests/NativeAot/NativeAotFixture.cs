namespace Picollo.Platform.Tests.NativeAot;

/// <summary>Compiles tests/AotApp with Native AOT once, and runs it. Warnings of the compilers are errors.</summary>
public sealed class NativeAotFixture : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("picollo-aot-").FullName;
    private readonly Lazy<ConsumerOutput> _output;

    // Lazy, because a fixture is also created for skipped tests.
    public NativeAotFixture() => _output = new(() =>
    {
        Publishing.SelfContained("AotApp", ThisMachine.Rid, _folder, "-p:NativeAot=true");
        return new ConsumerOutput(Tool.Run(Program, _folder, new Dictionary<string, string?>()));
    });

    internal ConsumerOutput Output => _output.Value;

    public string Program => Path.Combine(_folder, "AotApp");

    public void Dispose() => Directory.Delete(_folder, recursive: true);
}
