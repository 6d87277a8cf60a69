namespace Picollo.Platform.Tests.Package;

/// <summary>A program that adds one package has its features, and the core with its native library.</summary>
[Collection("package")]
public sealed class OnePackageTests(PackageFixture packages)
{
    /// <summary>The assembly of the core and its native library come with the package, whose assembly is used.</summary>
    [Theory]
    [InlineData("Picollo.Export", "HdrHistogramEncoding.Decode(HdrHistogramEncoding.Encode(Picollo.Metrics.HdrHistogram.Create())).TotalCount")]
    [InlineData("Picollo.Diagnostics", "new CommandMeter().Run(\"dotnet\", \"--version\").ExitCode")]
    public void A_package_alone_has_its_features(string package, string expression)
    {
        using ConsumerFolder folder = Create(package, $$"""
            using {{package}};
            using Picollo.Timing;

            Console.WriteLine($"result={{{expression}}}");
            Console.WriteLine($"counter={CycleClock.IsCycleCounter} {CycleClock.UnavailableReason}");
            """);

        Tool.Dotnet(folder.Path, "run", "-c", "Release").Should()
            .Contain("result=0").And.Contain($"counter={ThisMachine.HasInvariantCounter}");
    }

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
