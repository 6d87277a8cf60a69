namespace Picollo.Platform.Tests.Package;

/// <summary>The program of <c>tests/ConsumerApp</c> with packages instead of projects.</summary>
internal sealed class ConsumerProject : IDisposable
{
    private readonly ConsumerFolder _folder;
    private readonly string _version;

    public ConsumerProject(PackageFixture packages)
    {
        _folder = new(packages);
        _version = packages.Version;
        _folder.Copy("tests/ConsumerApp/ConsumerApp.csproj", "tests/ConsumerApp/Program.cs", "tests/ConsumerApp/Pool.cs",
            "samples/GettingStarted/GettingStarted.cs", "samples/GettingStarted/Measurements.cs");
    }

    /// <summary>The names of the files that <see cref="PublishAndRun"/> created.</summary>
    public IReadOnlyList<string> PublishedFiles { get; private set; } = [];

    /// <summary>Builds and runs the program as a developer does.</summary>
    public ConsumerOutput BuildAndRun()
    {
        Tool.Dotnet(_folder.Path, "build", "-c", "Release", $"-p:PicolloVersion={_version}");
        return new ConsumerOutput(Tool.Dotnet(_folder.Path, "run", "-c", "Release", "--no-build"));
    }

    /// <summary>Publishes the program for this machine, self-contained and with additional switches, and runs the result.</summary>
    public ConsumerOutput PublishAndRun(params string[] switches)
    {
        var output = Path.Combine(_folder.Path, "published");
        Tool.Dotnet(_folder.Path, ["publish", "-c", "Release", "-r", ThisMachine.Rid, "--self-contained",
            "-o", output, $"-p:PicolloVersion={_version}", .. switches]);
        PublishedFiles = Directory.GetFiles(output).Select(file => Path.GetFileName(file)!).ToList();
        var program = Path.Combine(output, OperatingSystem.IsWindows() ? "ConsumerApp.exe" : "ConsumerApp");
        return new ConsumerOutput(Tool.Run(program, output, new Dictionary<string, string?>()));
    }

    public void Dispose() => _folder.Dispose();
}
