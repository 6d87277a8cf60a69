using System.Diagnostics;
using System.IO.Compression;

namespace Picollo.Platform.Tests.Package;

/// <summary>Tests <c>build/release.sh check</c> on a generated repository. (Its other command, <c>reproduce</c>, packs twice.)</summary>
[Trait("Category", "Slow")]
public sealed class ReleaseScriptTests : IDisposable
{
    private const string NoSection = "CHANGELOG.md has no line '## [1.2.3] - YYYY-MM-DD'";
    private const string Damaged = "artifacts/packages/Picollo.Export.1.2.3.nupkg is missing or damaged";

    private static readonly string[] Rids = ["linux-x64", "linux-arm64", "win-x64", "osx-x64", "osx-arm64"];
    private static readonly string[] Packages = ["Picollo", "Picollo.Export"];

    private readonly string _folder = Directory.CreateTempSubdirectory("picollo-release").FullName;

    public ReleaseScriptTests()
    {
        Directory.CreateDirectory(PathOf("build"));
        Directory.CreateDirectory(PathOf("docs"));
        Directory.CreateDirectory(PathOf("src"));
        File.Copy(Path.Combine(Repository.Root, "build", "release.sh"), PathOf("build/release.sh"));
        Write("Directory.Build.props", "<Project>\n    <Version>1.2.3</Version>\n</Project>\n");
        Write("CHANGELOG.md", "# Changelog\n\n## [1.2.3] - 2026-12-01\n");
        Write("README.md", "# Picollo\n");
        Write("Packages.slnf", """
            { "solution": { "projects": [
              "src\\Picollo.Analyzers\\Picollo.Analyzers.csproj",
              "src\\Picollo.Export\\Picollo.Export.csproj",
              "src\\Picollo\\Picollo.csproj"
            ] } }
            """);
        Pack("Picollo", [.. LibrariesOf(Rids)]);
        Pack("Picollo.Export");
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [FactNeeding(Need.Linux, Need.Unzip)]
    public void A_consistent_repository_can_be_released() =>
        Check("v1.2.3").Should().Be((0, $"v1.2.3 can be released: {Packages.Length} packages\n", ""));

    [TheoryNeeding(Need.Linux, Need.Unzip)]
    [InlineData("v1.2.4")]
    [InlineData("1.2.3")]
    [InlineData("v1.2.3-rc.1")]
    public void A_tag_of_another_version_is_rejected(string tag) =>
        ShouldReject($"the tag is {tag}, but the version in Directory.Build.props is 1.2.3", tag);

    [TheoryNeeding(Need.Linux, Need.Unzip)]
    [InlineData("CHANGELOG.md", "## [Unreleased]: 1.2.3", NoSection)]
    [InlineData("CHANGELOG.md", "## [1.2.3]", NoSection)]
    [InlineData("CHANGELOG.md", "## [1.2.3] - 2026-13-01", NoSection)]
    [InlineData("CHANGELOG.md", "## [1x2.3] - 2026-12-01", NoSection)]
    [InlineData("CHANGELOG.md", "## [1.2.30] - 2026-12-01", NoSection)]
    [InlineData("docs/plots.md", "The packages are not on nuget.org yet.",
        "documents state that the packages are not on nuget.org yet: docs/plots.md")]
    [InlineData("artifacts/packages/Picollo.Export.1.2.3.nupkg", "PK", Damaged)]
    [InlineData("artifacts/packages/Picollo.Export.1.2.3.nupkg", null, Damaged)]
    public void An_unsuitable_file_is_rejected(string file, string? text, string error)
    {
        File.Delete(PathOf(file));
        if (text is not null)
        {
            Write(file, text + "\n");
        }

        ShouldReject(error);
    }

    [FactNeeding(Need.Linux, Need.Unzip)]
    public void Missing_native_libraries_and_all_other_errors_are_reported_together()
    {
        Pack("Picollo", [.. LibrariesOf(Rids[..^1])]);
        ShouldReject("Picollo.1.2.3.nupkg has no native library for osx-arm64");

        Write("CHANGELOG.md", "");
        Pack("Picollo");

        Check("v2").Error.Split('\n').Should()
            .HaveCount(8, "there is an error for the tag, the changelog and each of five libraries, and an empty last line");
    }

    private static IEnumerable<string> LibrariesOf(IEnumerable<string> rids) =>
        rids.Select(rid => $"runtimes/{rid}/native/libpicollo_native.so");

    private string PathOf(string name) => Path.Combine(_folder, name);

    private void Write(string name, string text) => File.WriteAllText(PathOf(name), text);

    private void Pack(string id, params string[] files)
    {
        string path = PathOf($"artifacts/packages/{id}.1.2.3.nupkg");
        Directory.CreateDirectory(Path.GetDirectoryName(path)!);
        using ZipArchive package = new(File.Create(path), ZipArchiveMode.Create);
        foreach (string file in files.Prepend($"{id}.nuspec"))
        {
            package.CreateEntry(file);
        }
    }

    private void ShouldReject(string error, string tag = "v1.2.3") => Check(tag).Should().Be((1, "", $"error: {error}\n"));

    private (int ExitCode, string Output, string Error) Check(string tag)
    {
        using Process process = Process.Start(new ProcessStartInfo("bash", [PathOf("build/release.sh"), "check", tag])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        })!;
        Task<string> error = process.StandardError.ReadToEndAsync();
        string output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        return (process.ExitCode, output, error.Result);
    }
}
