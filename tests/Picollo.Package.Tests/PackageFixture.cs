using System.IO.Compression;

namespace Picollo.Package.Tests;

/// <summary>
/// The package under test: what PICOLLO_PACKAGES points to (set by <c>./build.sh pack</c>), else one packed now from
/// the sources, in folders of its own so that nothing of the ordinary build gets into it.
/// </summary>
public sealed class PackageFixture : IDisposable
{
    private readonly string _scratch = Directory.CreateTempSubdirectory("picollo-package-").FullName;

    public PackageFixture()
    {
        Folder = Environment.GetEnvironmentVariable("PICOLLO_PACKAGES") ?? PackNow();
        PackagePath = Directory.GetFiles(Folder, "Picollo.*.nupkg")
            .Single(file => char.IsDigit(Path.GetFileName(file)["Picollo.".Length]));
        Version = Path.GetFileNameWithoutExtension(PackagePath)["Picollo.".Length..];
    }

    /// <summary>The folder of packages, usable as a NuGet source.</summary>
    public string Folder { get; }

    public string PackagePath { get; }

    public string SymbolsPath => Path.ChangeExtension(PackagePath, ".snupkg");

    public string Version { get; }

    /// <summary>The bytes of one file in the package or, by its path, in the symbols package.</summary>
    public static byte[] Read(string package, string entry)
    {
        using var archive = ZipFile.OpenRead(package);
        using var content = (archive.GetEntry(entry)
            ?? throw new FileNotFoundException($"{Path.GetFileName(package)} has no {entry}.")).Open();
        using var bytes = new MemoryStream();
        content.CopyTo(bytes);
        return bytes.ToArray();
    }

    public void Dispose() => Directory.Delete(_scratch, recursive: true);

    private string PackNow()
    {
        // Built inside the repository: paths outside it would not be mapped to "/_/".
        var build = Path.Combine(Repository.Root, "artifacts", "package-tests");
        var folder = Path.Combine(_scratch, "packages");
        Tool.Dotnet(Repository.Root, "pack", "src/Picollo", "-c", "Release", "-o", folder,
            "--artifacts-path", build, "-p:ContinuousIntegrationBuild=true");
        return folder;
    }
}

/// <summary>Tests of the package share one pack and do not run beside each other: they use all processors.</summary>
[CollectionDefinition("package")]
public sealed class PackageTests : ICollectionFixture<PackageFixture>;
