namespace Picollo.Platform.Tests.Package;

/// <summary>
/// The packages under test: those in PICOLLO_PACKAGES (set by <c>./build.sh pack</c>) or, by default, packages that the fixture packs from
/// the sources in separate folders, so that they contain nothing of the ordinary build.
/// </summary>
public sealed class PackageFixture : IDisposable
{
    private readonly string _scratch = Directory.CreateTempSubdirectory("picollo-package-").FullName;

    public PackageFixture() => Folder = Environment.GetEnvironmentVariable("PICOLLO_PACKAGES") ?? PackNow();

    /// <summary>The folder of packages, usable as a NuGet source.</summary>
    public string Folder { get; }

    /// <summary>The version of all packages.</summary>
    public string Version => this["Picollo"].Version;

    public Package this[string id] => new(Folder, id);

    public void Dispose() => Directory.Delete(_scratch, recursive: true);

    private string PackNow()
    {
        // Built inside the repository, because paths outside it would not be mapped to "/_/".
        var build = Path.Combine(Repository.Root, "artifacts", "package-tests");
        var folder = Path.Combine(_scratch, "packages");
        Tool.Dotnet(Repository.Root, "pack", "Packages.slnf", "-c", "Release", "-o", folder,
            "--artifacts-path", build, "-p:ContinuousIntegrationBuild=true", "-p:RunAnalyzers=false");
        return folder;
    }
}

/// <summary>The tests of the packages share one fixture and do not run in parallel, because they use all processors.</summary>
[CollectionDefinition("package")]
public sealed class PackageTests : ICollectionFixture<PackageFixture>;
