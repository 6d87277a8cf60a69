namespace Picollo.Platform.Tests.Package;

[Collection("package")]
public sealed class SchedulingContentsTests(PackageFixture packages) : PackageContentsTests(packages, packages.Scheduling)
{
    [Fact]
    public void The_package_depends_only_on_the_core()
    {
        Dependencies().Should().Equal(("Picollo", Packages.Version));
        FrameworkReferences().Should().BeEmpty();
    }

    [Fact]
    public void The_package_has_no_native_code_and_has_search_tags()
    {
        Package.Names().Should().NotContain(name => name.StartsWith("runtimes/", StringComparison.Ordinal));
        Value("tags").Should().Contain("scheduler");
    }
}
