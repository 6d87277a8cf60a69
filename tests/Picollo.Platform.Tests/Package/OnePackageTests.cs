namespace Picollo.Platform.Tests.Package;

/// <summary>A program that adds one package has its features, and the core with its native library.</summary>
[Collection("package")]
public sealed class OnePackageTests(PackageFixture packages)
{
    [Fact]
    public void Export_alone_records_encodes_and_decodes() => Run("Picollo.Export", """
        using Picollo.Export;
        using Picollo.Metrics;
        using Picollo.Timing;

        var histogram = HdrHistogram.Create();
        histogram.Record(1234);
        var copy = HdrHistogramEncoding.Decode(HdrHistogramEncoding.EncodeCompressed(histogram));
        Console.WriteLine($"count={copy.TotalCount}");
        Console.WriteLine($"counter={CycleClock.IsCycleCounter} {CycleClock.UnavailableReason}");
        """).Should().Contain("count=1").And.Contain($"counter={ThisMachine.HasInvariantCounter}");

    [Fact]
    public void Diagnostics_alone_measures_a_command() => Run("Picollo.Diagnostics", """
        using Picollo.Diagnostics;
        using Picollo.Timing;

        var meter = new CommandMeter();
        Console.WriteLine($"exit={meter.Run("dotnet", "--version").ExitCode}");
        Console.WriteLine($"limit={meter.UnavailableReason ?? "none"}");
        Console.WriteLine($"counter={CycleClock.IsCycleCounter} {CycleClock.UnavailableReason}");
        """).Should().Contain("exit=0").And.Contain(OperatingSystem.IsLinux() ? "limit=none" : "limit=").And.Contain($"counter={ThisMachine.HasInvariantCounter}");

    [Fact]
    public void Packages_that_depend_on_the_core_have_its_analyzers()
    {
        using ConsumerFolder folder = Create("Picollo.AspNetCore", """
            using Picollo.Metrics;

            HdrHistogram.Create().GetNanoScope();
            static void Work(Picollo.Scheduling.CpuTaskContext cpu) => cpu.CheckpointAsync();
            Work(default);
            """);
        Tool.Dotnet(folder.Path, "build", "-c", "Release").Should()
            .MatchRegex(@"Program\.cs\(3,1\): warning PIC0002").And.MatchRegex(@"Program\.cs\(4,60\): warning PIC0003");
    }

    private string Run(string package, string program)
    {
        using ConsumerFolder folder = Create(package, program);
        return Tool.Dotnet(folder.Path, "run", "-c", "Release");
    }

    private ConsumerFolder Create(string package, string program)
    {
        var folder = new ConsumerFolder(packages);
        folder.Write("Program.cs", program);
        folder.Write("Consumer.csproj", """
            <Project Sdk="Microsoft.NET.Sdk">
              <PropertyGroup>
                <OutputType>Exe</OutputType>
                <TargetFramework>net10.0</TargetFramework>
                <ImplicitUsings>enable</ImplicitUsings>
                <Nullable>enable</Nullable>
              </PropertyGroup>
            </Project>
            """);
        Tool.Dotnet(folder.Path, "add", "package", package, "--version", packages.Version);
        return folder;
    }
}
