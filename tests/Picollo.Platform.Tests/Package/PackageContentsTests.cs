using System.Text;
using System.Xml.Linq;

namespace Picollo.Platform.Tests.Package;

/// <summary>Tests the properties that all packages share.</summary>
public abstract class PackageContentsTests(PackageFixture packages, Package package)
{
    protected PackageFixture Packages => packages;

    protected Package Package => package;

    private string Documentation => $"lib/net10.0/{package.Id}.xml";

    [Fact]
    public void The_package_has_a_readme_an_assembly_and_its_documentation()
    {
        foreach (var entry in new[] { "README.md", "icon.png", package.Library, Documentation })
        {
            package.Read(entry).Should().NotBeEmpty(entry);
        }
    }

    /// <summary>Internals can change with any version, so an assembly that uses internals of another one works only with exactly that
    /// version.</summary>
    [Fact]
    public void A_package_that_uses_internals_of_another_depends_on_exactly_its_version()
    {
        var friends = packages.All.Where(other => AssemblyImage.Friends(other.Read(other.Library)).Contains(package.Id)).Select(other => other.Id);

        Dependencies().Where(dependency => dependency.Version == $"[{packages.Version}]").Select(dependency => dependency.Id)
            .Should().BeEquivalentTo(friends);
    }

    [Fact]
    public void All_packages_have_one_version() => package.Version.Should().Be(packages.Version);

    [Fact]
    public void There_is_no_other_build_output() => package.Names()
        .Where(name => name.StartsWith("lib/", StringComparison.Ordinal))
        .Should().BeEquivalentTo(package.Library, Documentation);

    [Fact]
    public void The_manifest_has_the_license_readme_and_repository()
    {
        Value("id").Should().Be(package.Id);
        Value("version").Should().Be(package.Version);
        Value("license").Should().Be("MIT");
        Value("readme").Should().Be("README.md");
        Value("icon").Should().Be("icon.png");
        Value("description").Should().NotBeNullOrWhiteSpace().And.NotBe("Package Description");
        Value("authors").Should().NotBeNullOrWhiteSpace().And.NotBe(package.Id);
        Metadata().Descendants().Where(e => e.Name.LocalName == "group" && e.Parent!.Name.LocalName == "dependencies").Should().ContainSingle()
            .Which.Attribute("targetFramework")!.Value.Should().Be("net10.0");

        var repository = Metadata().Elements().Single(e => e.Name.LocalName == "repository");
        repository.Attribute("type")!.Value.Should().Be("git");
        repository.Attribute("commit")!.Value.Should().MatchRegex("^[0-9a-f]{40}$");
        repository.Attribute("url").Should().BeNull("there is no public repository");
        Metadata().Elements().Select(element => element.Name.LocalName).Should().NotContain("projectUrl");
    }

    [Fact]
    public void Every_public_type_is_documented_in_the_package()
    {
        var documented = XDocument.Load(new MemoryStream(package.Read(Documentation)))
            .Descendants("member")
            .Where(member => member.Elements().Any(element => element.Name.LocalName == "inheritdoc"
                || !string.IsNullOrWhiteSpace(element.Value)))
            .Select(member => member.Attribute("name")!.Value)
            .ToHashSet();

        var types = AssemblyImage.PublicTypes(package.Read(package.Library));
        types.Should().NotBeEmpty();
        types.Select(type => "T:" + type).Should().BeSubsetOf(documented);
    }

    [Fact]
    public void The_symbols_belong_to_the_assembly_and_contain_no_path_of_this_machine()
    {
        var symbols = package.ReadSymbols($"lib/net10.0/{package.Id}.pdb");

        AssemblyImage.SymbolsId(symbols).Should().Be(AssemblyImage.ExpectedSymbolsId(package.Read(package.Library)));
        AssemblyImage.Documents(symbols).Should().NotBeEmpty().And
            .OnlyContain(document => document.StartsWith("/_/", StringComparison.Ordinal));
    }

    [Fact]
    public void No_file_of_the_package_contains_a_path_of_this_machine()
    {
        string[] folders =
        [
            Repository.Root,
            Environment.GetFolderPath(Environment.SpecialFolder.UserProfile) + Path.DirectorySeparatorChar,
            Path.Combine(Path.GetTempPath(), "picollo-"),
        ];
        foreach (var (name, content) in package.ReadAll())
        {
            foreach (var folder in folders)
            {
                content.AsSpan().IndexOf(Encoding.UTF8.GetBytes(folder))
                    .Should().Be(-1, "{0} must not contain {1}", name, folder);
                content.AsSpan().IndexOf(Encoding.Unicode.GetBytes(folder))
                    .Should().Be(-1, "{0} must not contain {1}", name, folder);
            }
        }
    }

    /// <summary>Returns the value of an element of the manifest; null if there is none.</summary>
    protected string? Value(string name) => Metadata().Elements().SingleOrDefault(e => e.Name.LocalName == name)?.Value;

    /// <summary>Returns the dependencies by name and version range.</summary>
    protected IEnumerable<(string Id, string Version)> Dependencies() => Metadata().Descendants()
        .Where(e => e.Name.LocalName == "dependency")
        .Select(e => (e.Attribute("id")!.Value, e.Attribute("version")!.Value));

    /// <summary>Returns the shared frameworks that the package requires.</summary>
    protected IEnumerable<string> FrameworkReferences() => Metadata().Descendants()
        .Where(e => e.Name.LocalName == "frameworkReference")
        .Select(e => e.Attribute("name")!.Value);

    private XElement Metadata() => package.Manifest().Root!.Elements().Single();
}
