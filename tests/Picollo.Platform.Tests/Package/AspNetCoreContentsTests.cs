namespace Picollo.Platform.Tests.Package;

[Collection("package")]
public sealed class AspNetCoreContentsTests(PackageFixture packages) : PackageContentsTests(packages, packages.AspNetCore)
{
    [Fact]
    public void The_package_depends_only_on_other_packages_of_Picollo() => Dependencies()
        .Should().BeEquivalentTo([("Picollo", $"[{Packages.Version}]"), ("Picollo.Export", $"[{Packages.Version}]"), ("Picollo.Diagnostics", $"[{Packages.Version}]"), ("Picollo.Profiling", $"[{Packages.Version}]"), ("Picollo.Scheduling", Packages.Version)]);

    [Fact]
    public void The_only_other_dependency_is_the_shared_framework() => FrameworkReferences().Should().Equal("Microsoft.AspNetCore.App");

    [Fact]
    public void The_package_has_a_dashboard_and_rules() => Package.Names()
        .Where(name => name.StartsWith("grafana/", StringComparison.Ordinal)).Should().BeEquivalentTo("grafana/dashboard.json", "grafana/rules.yml");

    [Fact]
    public void The_package_has_no_native_code_and_no_page_files_and_has_search_tags()
    {
        Package.Names().Should().NotContain(name => name.StartsWith("runtimes/", StringComparison.Ordinal))
            .And.NotContain(name => name.StartsWith("staticwebassets/", StringComparison.Ordinal) || name.StartsWith("content", StringComparison.Ordinal));
        Value("tags").Should().Contain("aspnetcore").And.Contain("prometheus");
    }
}
