using System.IO.Compression;
using System.Xml.Linq;

namespace Picollo.Platform.Tests.Package;

/// <summary>The files of a package and of its symbols package.</summary>
public sealed class Package(string folder, string id)
{
    public string Id => id;

    public string Path { get; } = Directory.GetFiles(folder, $"{id}.*.nupkg")
        .Single(file => char.IsDigit(System.IO.Path.GetFileName(file)[id.Length + 1]));

    public string SymbolsPath => System.IO.Path.ChangeExtension(Path, ".snupkg");

    /// <summary>The entry of the assembly.</summary>
    public string Library => $"lib/net10.0/{id}.dll";

    public string Version => System.IO.Path.GetFileNameWithoutExtension(Path)[(id.Length + 1)..];

    /// <summary>Returns the bytes of a file in the package.</summary>
    public byte[] Read(string entry) => Read(Path, entry);

    /// <summary>Returns the bytes of a file in the symbols package.</summary>
    public byte[] ReadSymbols(string entry) => Read(SymbolsPath, entry);

    /// <summary>Returns all files of the package and of its symbols package.</summary>
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
