namespace Picollo.Platform.Tests.Package;

[Collection("package")]
public sealed class ProfilingContentsTests(PackageFixture packages) : PackageContentsTests(packages, packages.Profiling)
{
    [Fact]
    public void The_package_depends_only_on_the_core_and_Export()
    {
        Dependencies().Should().BeEquivalentTo([("Picollo", $"[{Packages.Version}]"), ("Picollo.Export", $"[{Packages.Version}]")]);
        FrameworkReferences().Should().BeEmpty();
    }

    [Fact]
    public void The_package_has_no_native_code_and_has_search_tags()
    {
        Package.Names().Should().NotContain(name => name.StartsWith("runtimes/", StringComparison.Ordinal));
        Value("tags").Should().Contain("profiler").And.Contain("flamegraph");
    }
}
