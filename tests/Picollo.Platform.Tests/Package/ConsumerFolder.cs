namespace Picollo.Platform.Tests.Package;

/// <summary>
/// A folder outside the repository with access to the packages. The repository's build settings do not apply to it. Because it has its own
/// packages folder, NuGet does not use an older Picollo of the same version.
/// </summary>
internal sealed class ConsumerFolder : IDisposable
{
    public ConsumerFolder(PackageFixture packages) =>
        // There is no <clear/>, so that the sources of the machine remain available for other packages.
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
