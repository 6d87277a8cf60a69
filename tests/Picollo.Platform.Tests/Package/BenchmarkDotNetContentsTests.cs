namespace Picollo.Platform.Tests.Package;

[Collection("package")]
public sealed class BenchmarkDotNetContentsTests(PackageFixture packages) : PackageContentsTests(packages, packages.BenchmarkDotNet)
{
    [Fact]
    public void The_package_depends_only_on_the_core_Export_and_BenchmarkDotNet()
    {
        Dependencies().Should().BeEquivalentTo([("Picollo", Packages.Version), ("Picollo.Export", Packages.Version), ("BenchmarkDotNet", "[0.14.0, 0.16.0)")]);
        FrameworkReferences().Should().BeEmpty();
    }

    [Fact]
    public void The_package_has_no_native_code_and_has_search_tags()
    {
        Package.Names().Should().NotContain(name => name.StartsWith("runtimes/", StringComparison.Ordinal));
        Value("tags").Should().Contain("benchmarkdotnet").And.Contain("hardware counters");
    }
}
