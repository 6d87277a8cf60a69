namespace Picollo.Platform.Tests.Package;

[Collection("package")]
public sealed class BenchmarkDotNetContentsTests(PackageFixture packages) : PackageContentsTests(packages, packages.BenchmarkDotNet)
{
    [Fact]
    public void The_package_depends_on_the_core_Export_and_BenchmarkDotNet_alone()
    {
        Dependencies().Should().BeEquivalentTo([("Picollo", Packages.Version), ("Picollo.Export", Packages.Version), ("BenchmarkDotNet", "[0.14.0, 0.16.0)")]);
        FrameworkReferences().Should().BeEmpty();
    }

    [Fact]
    public void The_package_has_no_native_code_and_is_found_by_what_it_is()
    {
        Package.Names().Should().NotContain(name => name.StartsWith("runtimes/", StringComparison.Ordinal));
        Value("tags").Should().Contain("benchmarkdotnet").And.Contain("hardware counters");
    }
}
