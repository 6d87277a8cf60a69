namespace Picollo.Platform.Tests.Package;

/// <summary>
/// A folder outside the repository, in which the packages can be had: nothing of the repository's build settings reaches it, and a
/// packages folder of its own keeps an older Picollo of the same version out.
/// </summary>
internal sealed class ConsumerFolder : IDisposable
{
    public ConsumerFolder(PackageFixture packages) =>
        // No <clear/>: the machine's own sources stay, for what else is needed.
        Write("nuget.config", $"""
            <configuration>
              <config><add key="globalPackagesFolder" value="packages" /></config>
              <packageSources><add key="picollo" value="{packages.Folder}" /></packageSources>
            </configuration>
            """);

    public string Path { get; } = Directory.CreateTempSubdirectory("picollo-consumer-").FullName;

    public void Write(string name, string text) => File.WriteAllText(System.IO.Path.Combine(Path, name), text);

    /// <summary>Copies files of the repository.</summary>
    public void Copy(params string[] files)
    {
        foreach (var file in files)
        {
            File.Copy(System.IO.Path.Combine(Repository.Root, file), System.IO.Path.Combine(Path, System.IO.Path.GetFileName(file)));
        }
    }

    public void Dispose() => Directory.Delete(Path, recursive: true);
}
