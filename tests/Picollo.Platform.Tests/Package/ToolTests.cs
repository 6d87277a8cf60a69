namespace Picollo.Platform.Tests.Package;

/// <summary>Tests the tool <c>picollo</c>, installed from its package into an empty folder.</summary>
[Collection("package")]
public sealed class ToolTests(PackageFixture packages)
{
    private static readonly Dictionary<string, string?> NoChange = [];

    [FactNeeding(Need.Linux)]
    public void The_installed_tool_measures_and_creates_histograms()
    {
        using var folder = new ConsumerFolder(packages);
        string input = Path.Combine(folder.Path, "numbers.txt");
        File.WriteAllLines(input, Enumerable.Range(1, 100).Select(number => $"{number}"));

        Tool.Dotnet(folder.Path, "tool", "install", "Picollo.Cli", "--version", packages.Version, "--tool-path", "tools");
        string picollo = Path.Combine(folder.Path, "tools", "picollo");

        Tool.Run(picollo, folder.Path, NoChange, "--version").Should().StartWith(packages.Version);
        Tool.Run(picollo, folder.Path, NoChange, "hist", input, "--json").Should().StartWith("{\"kind\":\"summary\"").And.Contain("\"count\":100");
        Tool.Run(picollo, folder.Path, NoChange, "stat", "--json", "-c", "exit 0").Should()
            .Contain("\"exitCode\":0").And.NotContain("picollo_spawn", "the package contains the program that starts commands");
    }
}
