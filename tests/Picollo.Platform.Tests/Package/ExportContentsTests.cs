namespace Picollo.Platform.Tests.Package;

[Collection("package")]
public sealed class ExportContentsTests(PackageFixture packages) : PackageContentsTests(packages, packages.Export)
{
    [Fact]
    public void The_package_depends_on_exactly_the_version_of_the_core()
    {
        Dependencies().Should().Equal(("Picollo", Packages.Version));
        FrameworkReferences().Should().BeEmpty();
    }

    [Fact]
    public void The_package_has_no_native_code_and_has_search_tags()
    {
        Package.Names().Should().NotContain(name => name.StartsWith("runtimes/", StringComparison.Ordinal));
        Value("tags").Should().Contain("hlog").And.Contain("prometheus");
    }
}
