using Picollo.Samples.Tokenizer;

namespace Picollo.Samples.Tests.Tokenizer;

public sealed class ReferencePacksTests : IDisposable
{
    private readonly string _root = Directory.CreateTempSubdirectory("picollo-packs-").FullName;

    public void Dispose() => Directory.Delete(_root, recursive: true);

    [Fact]
    public void The_newest_version_of_each_pack_is_used()
    {
        AddFile("A.Ref/9.0.11/ref/net9.0/Old.xml");
        AddFile("A.Ref/10.0.0-rc.2.1/ref/net10.0/Preview.xml");
        AddFile("A.Ref/10.0.0/ref/net10.0/Second.xml");
        AddFile("A.Ref/10.0.0/ref/net10.0/First.xml");
        AddFile("A.Ref/10.0.0/ref/net10.0/First.dll");
        AddFile("A.Ref/10.0.0/data/Other.xml");
        AddFile("B.Ref/8.0.1/ref/net8.0/Third.xml");
        AddFile("C.Host/10.0.0/ref/net10.0/NoPack.xml");
        Directory.CreateDirectory(Path.Combine(_root, "packs/Empty.Ref"));

        Find(_root).Should().Equal("First.xml", "Second.xml", "Third.xml");
    }

    [Fact]
    public void The_first_root_with_documentation_is_used()
    {
        AddFile("A.Ref/10.0.0/ref/net10.0/Doc.xml");
        string without = Path.Combine(_root, "without");
        Directory.CreateDirectory(Path.Combine(without, "packs/A.Ref/10.0.0/ref/net10.0"));

        Find(Path.Combine(_root, "missing"), without, _root).Should().Equal("Doc.xml");
        ReferencePacks.Find([without]).Should().BeNull();
        ReferencePacks.Find([]).Should().BeNull();
    }

    [Fact]
    public void The_dotnet_of_the_current_process_is_a_candidate()
    {
        string host = Path.GetDirectoryName(Path.GetDirectoryName(Path.GetDirectoryName(
            Path.GetDirectoryName(typeof(object).Assembly.Location))))!;

        ReferencePacks.CandidateRoots().Should().Contain(host);
    }

    private static IEnumerable<string> Find(params string[] roots) =>
        ReferencePacks.Find(roots)!.Value.Files.Select(file => Path.GetFileName(file));

    private void AddFile(string path)
    {
        string file = Path.Combine(_root, "packs", path);
        Directory.CreateDirectory(Path.GetDirectoryName(file)!);
        File.WriteAllText(file, "<doc />");
    }
}
