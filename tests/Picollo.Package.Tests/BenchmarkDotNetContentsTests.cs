namespace Picollo.Package.Tests;

[Collection("package")]
public sealed class BenchmarkDotNetContentsTests(PackageFixture packages) : PackageContentsTests(packages.BenchmarkDotNet)
{
    [Fact]
    public void The_package_depends_on_the_core_of_its_own_version_and_on_BenchmarkDotNet_alone()
    {
        Dependencies().Should().BeEquivalentTo([("Picollo", packages.Core.Version), ("BenchmarkDotNet", "0.14.0")]);
        FrameworkReferences().Should().BeEmpty();
    }

    [Fact]
    public void All_packages_have_one_version() => Package.Version.Should().Be(packages.Core.Version);

    [Fact]
    public void The_package_has_no_native_code_and_is_found_by_what_it_is()
    {
        Package.Names().Should().NotContain(name => name.StartsWith("runtimes/", StringComparison.Ordinal));
        Value("tags").Should().Contain("benchmarkdotnet").And.Contain("hardware counters");
    }
}
