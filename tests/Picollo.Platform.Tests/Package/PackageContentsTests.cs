using System.Text;
using System.Xml.Linq;

namespace Picollo.Platform.Tests.Package;

/// <summary>Tests the packages of the libraries.</summary>
[Collection("package")]
[Trait("Category", "Slow")]
public sealed class PackageContentsTests(PackageFixture packages)
{
    // The dependencies, in which V is the version of the packages, and the files other than the assembly, its documentation, the manifest,
    // the readme and the icon.
    private static readonly Dictionary<string, (string[] Dependencies, string[] Files)> Expected = new()
    {
        ["Picollo"] = ([], ["analyzers/dotnet/cs/Picollo.Analyzers.dll", "analyzers/dotnet/cs/Picollo.Analyzers.CodeFixes.dll"]),
        ["Picollo.Export"] = (["Picollo V"], []),
        ["Picollo.Diagnostics"] = (["Picollo [V]"], []),
        ["Picollo.Profiling"] = (["Picollo [V]", "Picollo.Export [V]"], []),
        ["Picollo.Scheduling"] = (["Picollo V"], []),
        ["Picollo.AspNetCore"] = (
            ["Picollo [V]", "Picollo.Export [V]", "Picollo.Diagnostics [V]", "Picollo.Profiling [V]",
                "Picollo.Scheduling V", "Microsoft.AspNetCore.App"],
            ["grafana/dashboard.json", "grafana/rules.yml"]),
        ["Picollo.BenchmarkDotNet"] = (["Picollo V", "Picollo.Export V", "BenchmarkDotNet [0.14.0, 0.16.0)"], []),
    };

    public static TheoryData<string> Ids => [.. Expected.Keys];

    [Theory]
    [MemberData(nameof(Ids))]
    public void The_package_has_only_the_expected_files_and_native_libraries_only_in_the_core(string id)
    {
        string[] common = ["README.md", "icon.png", $"{id}.nuspec", $"lib/net10.0/{id}.dll", $"lib/net10.0/{id}.xml"];
        string[] ofNuGet = ["_rels/", "package/", "[Content_Types].xml"];
        Package package = packages[id];

        package.Names().Where(name => !Array.Exists(ofNuGet, name.StartsWith) && !(id == "Picollo" && IsNativeLibrary(name)))
            .Should().BeEquivalentTo([.. common, .. Expected[id].Files]);
        common.Should().OnlyContain(name => package.Read(name).Length > 0);

        static bool IsNativeLibrary(string name) =>
            name.StartsWith("runtimes/", StringComparison.Ordinal) && name.Contains("/native/") && name.Contains("picollo_native.");
    }

    /// <summary>Internals can change with any version, so an assembly that uses internals of another one works only with exactly that
    /// version.</summary>
    [Theory]
    [MemberData(nameof(Ids))]
    public void The_package_has_the_expected_dependencies_and_exactly_the_version_of_those_whose_internals_it_uses(string id)
    {
        string exactly = $"[{packages.Version}]";
        List<(string Id, string Version)> dependencies =
            [.. Elements(id, "dependency").Select(e => (e.Attribute("id")!.Value, e.Attribute("version")!.Value))];

        dependencies.Select(dependency => $"{dependency.Id} {dependency.Version.Replace(packages.Version, "V", StringComparison.Ordinal)}")
            .Concat(Elements(id, "frameworkReference").Select(e => e.Attribute("name")!.Value))
                .Should().BeEquivalentTo(Expected[id].Dependencies);
        dependencies.Where(dependency => dependency.Version == exactly).Select(dependency => dependency.Id)
            .Should().BeEquivalentTo(Expected.Keys.Where(other => AssemblyImage.Friends(Assembly(other)).Contains(id)));
    }

    [Theory]
    [MemberData(nameof(Ids))]
    public void The_manifest_has_the_version_license_and_repository(string id)
    {
        packages[id].Version.Should().Be(packages.Version);
        (Value("id"), Value("version"), Value("license"), Value("readme"), Value("icon")).Should()
            .Be((id, packages.Version, "MIT", "README.md", "icon.png"));
        Value("description").Should().NotBeNullOrWhiteSpace().And.NotBe("Package Description");
        Value("authors").Should().NotBeNullOrWhiteSpace().And.NotBe(id);
        Elements(id, "group").Where(e => e.Parent!.Name.LocalName == "dependencies").Should().ContainSingle()
            .Which.Attribute("targetFramework")!.Value.Should().Be("net10.0");

        XElement repository = Elements(id, "repository").Single();
        repository.Attribute("type")!.Value.Should().Be("git");
        repository.Attribute("commit")!.Value.Should().MatchRegex("^[0-9a-f]{40}$");
        repository.Attribute("url").Should().BeNull("there is no public repository");
        Elements(id, "projectUrl").Should().BeEmpty();

        string? Value(string name) => Elements(id, name).SingleOrDefault()?.Value;
    }

    [Theory]
    [MemberData(nameof(Ids))]
    public void The_symbols_belong_to_the_assembly_and_no_file_contains_a_path_of_this_machine(string id)
    {
        byte[] symbols = packages[id].ReadSymbols($"lib/net10.0/{id}.pdb");
        AssemblyImage.SymbolsId(symbols).Should().Be(AssemblyImage.ExpectedSymbolsId(Assembly(id)));
        AssemblyImage.Documents(symbols).Should().NotBeEmpty().And
            .OnlyContain(document => document.StartsWith("/_/", StringComparison.Ordinal));

        string home = Environment.GetFolderPath(Environment.SpecialFolder.UserProfile) + Path.DirectorySeparatorChar;
        string[] folders = [Repository.Root, home, Path.Combine(Path.GetTempPath(), "picollo-")];
        byte[][] texts = [.. folders.Select(Encoding.UTF8.GetBytes), .. folders.Select(Encoding.Unicode.GetBytes)];
        packages[id].ReadAll().Where(file => Array.Exists(texts, text => file.Content.AsSpan().IndexOf(text) >= 0))
            .Select(file => file.Name).Should().BeEmpty();
    }

    [FactNeeding(Need.X64Library)]
    public void The_packages_have_the_native_library_and_the_spawn_program_for_linux_x64() =>
        ShouldHaveNativeCode("linux-x64", 62); // EM_X86_64

    [FactNeeding(Need.Arm64Library)]
    public void The_packages_have_the_native_library_and_the_spawn_program_for_linux_arm64() =>
        ShouldHaveNativeCode("linux-arm64", 183); // EM_AARCH64

    [FactNeeding(Need.WindowsLibrary)]
    public void The_package_has_the_native_library_for_win_x64() =>
        packages["Picollo"].Read("runtimes/win-x64/native/picollo_native.dll").Take(2).Should().Equal("MZ"u8.ToArray());

    private void ShouldHaveNativeCode(string rid, int machine)
    {
        const int machineOffset = 18; // e_machine of an ELF header
        byte[] image = packages["Picollo"].Read($"runtimes/{rid}/native/libpicollo_native.so");
        image.Take(4).Should().Equal(0x7F, (byte)'E', (byte)'L', (byte)'F');
        BitConverter.ToUInt16(image, machineOffset).Should().Be((ushort)machine);
        AssemblyImage.Resources(Assembly("Picollo.Diagnostics")).Should().Contain($"picollo_spawn.{rid}");
    }

    private byte[] Assembly(string id) => packages[id].Read($"lib/net10.0/{id}.dll");

    private IEnumerable<XElement> Elements(string id, string name) =>
        packages[id].Manifest().Descendants().Where(e => e.Name.LocalName == name);
}
