namespace Picollo.Platform.Tests.Package;

[Collection("package")]
public sealed class CoreContentsTests(PackageFixture packages) : PackageContentsTests(packages, packages.Core)
{
    [FactNeeding(Need.X64Library)]
    public void The_package_has_the_native_library_for_linux_x64() =>
        MachineOfElf("linux-x64").Should().Be(62, "this is EM_X86_64");

    [FactNeeding(Need.Arm64Library)]
    public void The_package_has_the_native_library_for_linux_arm64() =>
        MachineOfElf("linux-arm64").Should().Be(183, "this is EM_AARCH64");

    [FactNeeding(Need.WindowsLibrary)]
    public void The_package_has_the_native_library_for_win_x64() =>
        Package.Read("runtimes/win-x64/native/picollo_native.dll").Take(2).Should().Equal("MZ"u8.ToArray());

    [Fact]
    public void The_native_libraries_are_the_only_native_code() => Package.Names()
        .Where(name => name.StartsWith("runtimes/", StringComparison.Ordinal))
        .Where(name => !name.Contains("/native/") || !name.Contains("picollo_native."))
        .Should().BeEmpty();

    [Fact]
    public void The_package_has_the_analyzers_and_their_fixes() => Package.Names()
        .Where(name => name.StartsWith("analyzers/", StringComparison.Ordinal))
        .Should().BeEquivalentTo("analyzers/dotnet/cs/Picollo.Analyzers.dll", "analyzers/dotnet/cs/Picollo.Analyzers.CodeFixes.dll");

    [Fact]
    public void The_package_has_no_dependencies_and_has_search_tags()
    {
        Dependencies().Should().BeEmpty();
        FrameworkReferences().Should().BeEmpty();
        Value("tags").Should().Contain("histogram");
    }

    private int MachineOfElf(string rid)
    {
        const int machineOffset = 18; // e_machine of an ELF header
        var image = Package.Read($"runtimes/{rid}/native/libpicollo_native.so");
        image.Take(4).Should().Equal(0x7F, (byte)'E', (byte)'L', (byte)'F');
        return BitConverter.ToUInt16(image, machineOffset);
    }
}
