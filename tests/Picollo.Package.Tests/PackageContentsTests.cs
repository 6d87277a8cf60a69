using System.IO.Compression;
using System.Text;
using System.Xml.Linq;

namespace Picollo.Package.Tests;

[Collection("package")]
public sealed class PackageContentsTests(PackageFixture package)
{
    private const string Library = "lib/net10.0/Picollo.dll";

    [Theory]
    [InlineData("README.md")]
    [InlineData(Library)]
    [InlineData("lib/net10.0/Picollo.xml")]
    public void The_package_has(string entry) => PackageFixture.Read(package.PackagePath, entry).Should().NotBeEmpty();

    [ShimFact("linux-x64")]
    public void The_package_has_the_shim_for_linux_x64() =>
        MachineOfElf("linux-x64").Should().Be(62, "that is EM_X86_64");

    [ShimFact("linux-arm64")]
    public void The_package_has_the_shim_for_linux_arm64() =>
        MachineOfElf("linux-arm64").Should().Be(183, "that is EM_AARCH64");

    [ShimFact("win-x64")]
    public void The_package_has_the_shim_for_win_x64() =>
        PackageFixture.Read(package.PackagePath, "runtimes/win-x64/native/picollo_native.dll")
            .Take(2).Should().Equal("MZ"u8.ToArray());

    [Fact]
    public void The_shims_are_the_only_native_code_and_there_is_no_build_output_besides()
    {
        using var archive = ZipFile.OpenRead(package.PackagePath);
        archive.Entries.Select(entry => entry.FullName)
            .Where(name => name.StartsWith("lib/", StringComparison.Ordinal))
            .Should().BeEquivalentTo(Library, "lib/net10.0/Picollo.xml");
        archive.Entries.Select(entry => entry.FullName)
            .Where(name => name.StartsWith("runtimes/", StringComparison.Ordinal))
            .Where(name => !name.Contains("/native/") || !name.Contains("picollo_native."))
            .Should().BeEmpty();
    }

    [Fact]
    public void The_manifest_names_licence_readme_repository_and_no_dependency()
    {
        var metadata = Manifest().Root!.Elements().Single();
        string? Value(string name) => metadata.Elements().SingleOrDefault(e => e.Name.LocalName == name)?.Value;

        Value("id").Should().Be("Picollo");
        Value("version").Should().Be(package.Version);
        Value("license").Should().Be("MIT");
        Value("readme").Should().Be("README.md");
        Value("description").Should().NotBeNullOrWhiteSpace().And.NotBe("Package Description");
        Value("authors").Should().NotBeNullOrWhiteSpace().And.NotBe("Picollo");
        Value("tags").Should().Contain("histogram");
        metadata.Descendants().Where(e => e.Name.LocalName == "group").Should().ContainSingle()
            .Which.Attribute("targetFramework")!.Value.Should().Be("net10.0");
        metadata.Descendants().Where(e => e.Name.LocalName == "dependency").Should().BeEmpty();

        var repository = metadata.Elements().Single(e => e.Name.LocalName == "repository");
        repository.Attribute("type")!.Value.Should().Be("git");
        repository.Attribute("commit")!.Value.Should().MatchRegex("^[0-9a-f]{40}$");
        (repository.Attribute("url")?.Value ?? "https://").Should().StartWith("https://", "a local path is no address");
    }

    [Fact]
    public void Every_public_type_is_documented_in_the_package()
    {
        var documented = XDocument.Load(new MemoryStream(
                PackageFixture.Read(package.PackagePath, "lib/net10.0/Picollo.xml")))
            .Descendants("member")
            .Where(member => member.Elements().Any(element => element.Name.LocalName == "inheritdoc"
                || !string.IsNullOrWhiteSpace(element.Value)))
            .Select(member => member.Attribute("name")!.Value)
            .ToHashSet();

        var types = AssemblyImage.PublicTypes(PackageFixture.Read(package.PackagePath, Library));
        types.Should().NotBeEmpty();
        types.Select(type => "T:" + type).Should().BeSubsetOf(documented);
    }

    [Fact]
    public void The_symbols_belong_to_the_assembly_and_carry_no_path_of_this_machine()
    {
        var library = PackageFixture.Read(package.PackagePath, Library);
        var symbols = PackageFixture.Read(package.SymbolsPath, "lib/net10.0/Picollo.pdb");

        AssemblyImage.SymbolsId(symbols).Should().Be(AssemblyImage.ExpectedSymbolsId(library));
        AssemblyImage.Documents(symbols).Should().NotBeEmpty().And
            .OnlyContain(document => document.StartsWith("/_/", StringComparison.Ordinal));
    }

    [Fact]
    public void No_file_of_the_package_names_a_folder_of_this_machine()
    {
        string[] folders =
        [
            Repository.Root,
            Environment.GetFolderPath(Environment.SpecialFolder.UserProfile) + Path.DirectorySeparatorChar,
            Path.Combine(Path.GetTempPath(), "picollo-"),
        ];
        foreach (var path in new[] { package.PackagePath, package.SymbolsPath })
        {
            using var archive = ZipFile.OpenRead(path);
            foreach (var entry in archive.Entries)
            {
                var content = PackageFixture.Read(path, entry.FullName);
                foreach (var folder in folders)
                {
                    content.AsSpan().IndexOf(Encoding.UTF8.GetBytes(folder))
                        .Should().Be(-1, "{0} must not name {1}", entry.FullName, folder);
                    content.AsSpan().IndexOf(Encoding.Unicode.GetBytes(folder))
                        .Should().Be(-1, "{0} must not name {1}", entry.FullName, folder);
                }
            }
        }
    }

    private XDocument Manifest() =>
        XDocument.Load(new MemoryStream(PackageFixture.Read(package.PackagePath, "Picollo.nuspec")));

    private int MachineOfElf(string rid)
    {
        const int machineOffset = 18; // e_machine of an ELF header
        var image = PackageFixture.Read(package.PackagePath, $"runtimes/{rid}/native/libpicollo_native.so");
        image.Take(4).Should().Equal(0x7F, (byte)'E', (byte)'L', (byte)'F');
        return BitConverter.ToUInt16(image, machineOffset);
    }
}
