namespace Picollo.Platform.Tests.Package;

[Collection("package")]
public sealed class ProfilingContentsTests(PackageFixture packages) : PackageContentsTests(packages, packages.Profiling)
{
    [Fact]
    public void The_package_depends_on_the_core_and_Export_alone()
    {
        Dependencies().Should().BeEquivalentTo([("Picollo", $"[{Packages.Version}]"), ("Picollo.Export", $"[{Packages.Version}]")]);
        FrameworkReferences().Should().BeEmpty();
    }

    [Fact]
    public void The_package_has_no_native_code_and_is_found_by_what_it_is()
    {
        Package.Names().Should().NotContain(name => name.StartsWith("runtimes/", StringComparison.Ordinal));
        Value("tags").Should().Contain("profiler").And.Contain("flamegraph");
    }
}
