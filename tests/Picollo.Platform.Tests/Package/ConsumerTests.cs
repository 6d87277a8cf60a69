namespace Picollo.Platform.Tests.Package;

/// <summary>The program of <c>tests/ConsumerApp</c> with packages instead of projects.</summary>
[Collection("package")]
[Trait("Category", "Slow")]
public sealed class ConsumerTests : IDisposable
{
    private readonly ConsumerFolder _folder;
    private readonly string _version;

    public ConsumerTests(PackageFixture packages)
    {
        _folder = new(packages);
        _version = $"-p:PicolloVersion={packages.Version}";
        _folder.Copy("tests/ConsumerApp/ConsumerApp.csproj", "tests/ConsumerApp/Program.cs", "tests/ConsumerApp/Pool.cs",
            "samples/GettingStarted/GettingStarted.cs", "samples/GettingStarted/Measurements.cs");
    }

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void A_fresh_project_uses_the_packages()
    {
        Tool.Dotnet(_folder.Path, "build", "-c", "Release", _version);
        ShouldWorkThroughTheShim(Tool.Dotnet(_folder.Path, "run", "-c", "Release", "--no-build"));
    }

    [Fact]
    public void A_trimmed_single_file_publish_uses_the_packages()
    {
        string output = Path.Combine(_folder.Path, "published");
        Tool.Dotnet(_folder.Path, "publish", "-c", "Release", "-r", ThisMachine.Rid, "--self-contained", "-o", output, _version,
            "-p:PublishTrimmed=true", "-p:PublishSingleFile=true", "-p:PublishReadyToRun=true");

        string program = Path.Combine(output, OperatingSystem.IsWindows() ? "ConsumerApp.exe" : "ConsumerApp");
        ShouldWorkThroughTheShim(Tool.Run(program, output, new Dictionary<string, string?>()));
        Directory.GetFiles(output, "Picollo*.dll").Should().BeEmpty("the assemblies are inside the single file");
    }

    private static void ShouldWorkThroughTheShim(string text)
    {
        ConsumerOutput output = new(text);
        output["cycle-counter"].Should().Be(ThisMachine.HasInvariantCounter.ToString(), output["cycle-clock-status"]);
        output.Number("distinct-below-100-ns").Should().BeGreaterThan(1);
        output.ShouldShowThatScopesAndHistogramsWork();
        output.ShouldShowThatThePoolWorks();
        output.ShouldHaveTheTablesOfTheSample();
    }
}
