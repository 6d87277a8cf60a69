using System.Text;
using System.Text.RegularExpressions;

namespace Picollo.Platform.Tests.Package;

/// <summary>Follows the README's instructions for benchmarks: a new console program, the package, and the two code blocks.</summary>
[Collection("package")]
public sealed partial class BenchmarkConsumerTests(PackageFixture packages)
{
    [Fact]
    public void The_benchmark_of_the_readme_runs_with_the_package_in_its_own_process()
    {
        using var folder = new ConsumerFolder(packages);
        var readme = Encoding.UTF8.GetString(packages["Picollo.BenchmarkDotNet"].Read("README.md")).ReplaceLineEndings("\n");
        folder.Write("Aggregation.cs", Block(readme, "public class Aggregation"));
        folder.Write("Program.cs", Block(readme, "BenchmarkRunner.Run<Aggregation>"));
        folder.Write("Consumer.csproj", $"""
            <Project Sdk="Microsoft.NET.Sdk">
              <PropertyGroup>
                <OutputType>Exe</OutputType>
                <TargetFramework>net10.0</TargetFramework>
                <ImplicitUsings>enable</ImplicitUsings>
                <Nullable>enable</Nullable>
              </PropertyGroup>
              <ItemGroup>
                <PackageReference Include="Picollo.BenchmarkDotNet" Version="{packages.Version}" />
              </ItemGroup>
            </Project>
            """);
        folder.Write("Consumer.sln", ""); // BenchmarkDotNet searches for the project below the nearest solution of a parent folder

        var output = Tool.Dotnet(folder.Path, "run", "-c", "Release", "--",
            "--job", "short", "--launchCount", "1", "--warmupCount", "1", "--iterationCount", "3", "--iterationTime", "50");

        var rows = output.Split('\n').Where(line => line.StartsWith('|')).Select(line => line.Trim('|').Split('|', StringSplitOptions.TrimEntries)).ToList();
        rows.Should().HaveCount(4, "there must be a header, a rule and two benchmarks in:\n{0}", output);
        rows[0].Should().ContainInOrder("Method", "Sorted", "Mean", "CPU/Op", "CPU/Wall", "Calls", "Call mean", "Call p50", "Call p90", "Call p99", "Call p99.9", "Call max");
        rows[0].Should().Contain(header => header == "TaskClock/Op" || output.Contains("Not counted: Software:TaskClock", StringComparison.Ordinal));
        rows[2..].Should().OnlyContain(row => row[0] == "Aggregate" && !row.Contains("NA"));
        output.Should().Contain("// start dotnet", "the benchmark ran in a program that was built for it");
        File.ReadAllText(Path.Combine(folder.Path, "BenchmarkDotNet.Artifacts", "results", "Aggregation-percentiles.hlog"))
            .Should().Contain("Tag=Aggregate_[Sorted=False],").And.Contain("Tag=Aggregate_[Sorted=True],");
    }

    private static string Block(string readme, string with) => CodeBlock().Matches(readme)
        .Select(match => match.Groups[1].Value)
        .Single(block => block.Contains(with, StringComparison.Ordinal));

    [GeneratedRegex("```csharp\n(.*?)```", RegexOptions.Singleline)]
    private static partial Regex CodeBlock();
}
