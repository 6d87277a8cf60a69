using System.IO.Compression;
using System.Xml.Linq;

namespace Picollo.Platform.Tests.Package;

/// <summary>A packed package, with its symbols beside it, as files.</summary>
public sealed class Package(string folder, string id)
{
    public string Id => id;

    public string Path { get; } = Directory.GetFiles(folder, $"{id}.*.nupkg")
        .Single(file => char.IsDigit(System.IO.Path.GetFileName(file)[id.Length + 1]));

    public string SymbolsPath => System.IO.Path.ChangeExtension(Path, ".snupkg");

    /// <summary>The entry of its assembly.</summary>
    public string Library => $"lib/net10.0/{id}.dll";

    public string Version => System.IO.Path.GetFileNameWithoutExtension(Path)[(id.Length + 1)..];

    /// <summary>The bytes of one of its files.</summary>
    public byte[] Read(string entry) => Read(Path, entry);

    /// <summary>The bytes of one file in its symbols package.</summary>
    public byte[] ReadSymbols(string entry) => Read(SymbolsPath, entry);

    /// <summary>Everything in it and in its symbols package.</summary>
    public IEnumerable<(string Name, byte[] Content)> ReadAll() => new[] { Path, SymbolsPath }
        .SelectMany(path => Names(path).Select(name => ($"{System.IO.Path.GetFileName(path)}: {name}", Read(path, name))));

    public IReadOnlyList<string> Names() => Names(Path);

    public XDocument Manifest() => XDocument.Load(new MemoryStream(Read($"{id}.nuspec")));

    private static List<string> Names(string path)
    {
        using var archive = ZipFile.OpenRead(path);
        return archive.Entries.Select(entry => entry.FullName).ToList();
    }

    private static byte[] Read(string path, string entry)
    {
        using var archive = ZipFile.OpenRead(path);
        using var content = (archive.GetEntry(entry)
            ?? throw new FileNotFoundException($"{System.IO.Path.GetFileName(path)} has no {entry}.")).Open();
        using var bytes = new MemoryStream();
        content.CopyTo(bytes);
        return bytes.ToArray();
    }
}
