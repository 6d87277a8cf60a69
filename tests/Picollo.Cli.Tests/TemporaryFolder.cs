namespace Picollo.Cli.Tests;

/// <summary>A folder that is deleted after a test.</summary>
internal sealed class TemporaryFolder : IDisposable
{
    public string Path { get; } = Directory.CreateTempSubdirectory("picollo-").FullName;

    public string PathOf(string name) => System.IO.Path.Combine(Path, name);

    public void Dispose() => Directory.Delete(Path, recursive: true);
}

/// <summary>Tests with a folder that is deleted after each of them.</summary>
public abstract class FolderTests : IDisposable
{
    private protected TemporaryFolder Folder { get; } = new();

    public void Dispose()
    {
        Folder.Dispose();
        GC.SuppressFinalize(this);
    }
}
