using System.IO.Compression;
using System.Xml.Linq;
using static System.IO.Path;

namespace Picollo.Platform.Tests.Package;

/// <summary>The files of a package and of its symbols package.</summary>
public sealed class Package(string folder, string id)
{
    private readonly string _path = Directory.GetFiles(folder, $"{id}.*.nupkg").Single(file =>
        char.IsDigit(GetFileName(file)[id.Length + 1]));

    public string Version => GetFileNameWithoutExtension(_path)[(id.Length + 1)..];

    private string SymbolsPath => ChangeExtension(_path, ".snupkg");

    /// <summary>Returns the bytes of a file in the package.</summary>
    public byte[] Read(string entry) => Read(_path, entry);

    /// <summary>Returns the bytes of a file in the symbols package.</summary>
    public byte[] ReadSymbols(string entry) => Read(SymbolsPath, entry);

    /// <summary>Returns all files of the package and of its symbols package.</summary>
    public IEnumerable<(string Name, byte[] Content)> ReadAll() => new[] { _path, SymbolsPath }
        .SelectMany(path => Names(path).Select(name => ($"{GetFileName(path)}: {name}", Read(path, name))));

    public IReadOnlyList<string> Names() => Names(_path);

    public XDocument Manifest() => XDocument.Load(new MemoryStream(Read($"{id}.nuspec")));

    private static List<string> Names(string path)
    {
        using var archive = ZipFile.OpenRead(path);
        return archive.Entries.Select(entry => entry.FullName).ToList();
    }

    private static byte[] Read(string path, string entry)
    {
        using var archive = ZipFile.OpenRead(path);
        using var content = (archive.GetEntry(entry) ?? throw new FileNotFoundException($"{GetFileName(path)} has no {entry}.")).Open();
        using var bytes = new MemoryStream();
        content.CopyTo(bytes);
        return bytes.ToArray();
    }
}
