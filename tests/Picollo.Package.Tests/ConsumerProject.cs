namespace Picollo.Package.Tests;

/// <summary>
/// A project outside the repository that uses the packages: nothing of the repository's build settings reaches it, and
/// a packages folder of its own keeps an older Picollo of the same version out.
/// </summary>
internal sealed class ConsumerProject : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("picollo-consumer-").FullName;
    private readonly string _version;

    public ConsumerProject(PackageFixture packages)
    {
        _version = packages.Version;
        Copy("tests/ConsumerApp/ConsumerApp.csproj", "tests/ConsumerApp/Program.cs", "tests/ConsumerApp/Pool.cs",
            "samples/GettingStarted/GettingStarted.cs", "samples/GettingStarted/Measurements.cs");

        // No <clear/>: the machine's own sources stay, for the runtime that a self-contained publish takes along.
        File.WriteAllText(Path.Combine(_folder, "nuget.config"), $"""
            <configuration>
              <config><add key="globalPackagesFolder" value="packages" /></config>
              <packageSources><add key="picollo" value="{packages.Folder}" /></packageSources>
            </configuration>
            """);
    }

    /// <summary>Names of the files that <see cref="PublishAndRun"/> made.</summary>
    public IReadOnlyList<string> PublishedFiles { get; private set; } = [];

    /// <summary>Builds and runs it as a developer does.</summary>
    public ConsumerOutput BuildAndRun()
    {
        Tool.Dotnet(_folder, "build", "-c", "Release", $"-p:PicolloVersion={_version}");
        return new ConsumerOutput(Tool.Dotnet(_folder, "run", "-c", "Release", "--no-build"));
    }

    /// <summary>Publishes it for this machine, self-contained, with the switches given, and runs the result.</summary>
    public ConsumerOutput PublishAndRun(params string[] switches)
    {
        var output = Path.Combine(_folder, "published");
        Tool.Dotnet(_folder, ["publish", "-c", "Release", "-r", Platform.Rid, "--self-contained",
            "-o", output, $"-p:PicolloVersion={_version}", .. switches]);
        PublishedFiles = Directory.GetFiles(output).Select(file => Path.GetFileName(file)!).ToList();
        var program = Path.Combine(output, OperatingSystem.IsWindows() ? "ConsumerApp.exe" : "ConsumerApp");
        return new ConsumerOutput(Tool.Run(program, output, new Dictionary<string, string?>()));
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    private void Copy(params string[] files)
    {
        foreach (var file in files)
        {
            File.Copy(Path.Combine(Repository.Root, file), Path.Combine(_folder, Path.GetFileName(file)));
        }
    }
}
