namespace Picollo.Platform.Tests.Package;

[Collection("package")]
public sealed class DiagnosticsContentsTests(PackageFixture packages) : PackageContentsTests(packages, packages.Diagnostics)
{
    [FactNeeding(Need.X64Library)]
    public void The_assembly_contains_the_spawn_program_for_linux_x64() =>
        AssemblyImage.Resources(Package.Read("lib/net10.0/Picollo.Diagnostics.dll")).Should().Contain("picollo_spawn.linux-x64");

    [FactNeeding(Need.Arm64Library)]
    public void The_assembly_contains_the_spawn_program_for_linux_arm64() =>
        AssemblyImage.Resources(Package.Read("lib/net10.0/Picollo.Diagnostics.dll")).Should().Contain("picollo_spawn.linux-arm64");

    [Fact]
    public void The_package_depends_on_exactly_the_version_of_the_core()
    {
        Dependencies().Should().Equal(("Picollo", $"[{Packages.Version}]"));
        FrameworkReferences().Should().BeEmpty();
    }

    [Fact]
    public void The_package_has_no_native_code_and_has_search_tags()
    {
        Package.Names().Should().NotContain(name => name.StartsWith("runtimes/", StringComparison.Ordinal));
        Value("tags").Should().Contain("perf stat").And.Contain("jitter");
    }
}
