using System.Buffers.Binary;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using Picollo.Profiling.Symbols.ReadyToRun;

namespace Picollo.Profiling.Tests.Symbols;

/// <summary>Images with the code of several assemblies. The tests rewrite an image of one assembly, because crossgen2 is not installed
/// everywhere.</summary>
public sealed class ReadyToRunCompositeTests : IDisposable
{
    // An unused section, for new data.
    private const ReadyToRunSection Unused = (ReadyToRunSection)117;

    private static readonly string Linq = typeof(Enumerable).Assembly.Location;

    private readonly string _folder = Directory.CreateTempSubdirectory("picollo-r2r-").FullName;
    private readonly byte[] _image = File.ReadAllBytes(Linq);
    private readonly ReadyToRunLayout _layout;

    public ReadyToRunCompositeTests() => _layout = new ReadyToRunLayout(File.ReadAllBytes(Linq));

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void Names_come_from_assemblies_next_to_the_image()
    {
        int data = _layout.Start(Unused);
        int address = _layout.Number(_layout.Entry(Unused) + 4);
        int methods = _layout.Entry(ReadyToRunSection.MethodDefEntryPoints);
        const int component = 16, exports = 36, functions = 76, names = 80, name = 84, manifest = 96;
        byte[] metadata = Manifest();

        // The header of the assembly is in the table of assemblies; the header of the image is an export.
        Write(data + 8, address + component);
        Write(data + component + 4, 1, _layout.Number(methods), _layout.Number(methods + 4), _layout.Number(methods + 8));
        Write(data + exports + 28, address + functions, address + names);
        Write(data + functions, _layout.Number(_layout.HeaderAddress), address + name);
        "RTR_HEADER\0"u8.CopyTo(_image.AsSpan(data + name));
        metadata.CopyTo(_image, data + manifest);
        Write(methods, 0);
        Write(_layout.Entry(ReadyToRunSection.ManifestMetadata) + 4, address + manifest, metadata.Length);
        Write(_layout.Entry(ReadyToRunSection.InstanceEntryPoints), 0);
        Write(_layout.Entry(Unused), (int)ReadyToRunSection.ComponentAssemblies, address, 16);
        Write(_layout.Exports, address + exports, 40);
        Write(_layout.HeaderAddress, 0, 0);
        File.Copy(Linq, Path.Combine(_folder, "System.Linq.dll"));

        ReadyToRunImage composite = ReadyToRunImage.TryRead(Save("all.r2r.dll"), out string? reason)!;
        reason.Should().BeNull();
        ReadyToRunImage image = ReadyToRunImage.TryRead(Linq, out _)!;
        uint[] plain = [.. _layout.Functions.Where(rva => !image.NameOf(rva)!.Contains('['))];
        plain.Should().HaveCountGreaterThan(10);
        plain.Select(composite.NameOf).Should().Equal(plain.Select(image.NameOf));
    }

    [Fact]
    public void An_assembly_names_the_image_with_its_code()
    {
        "all.r2r.dll\0"u8.CopyTo(_image.AsSpan(_layout.Start(Unused)));
        int entry = _layout.Entry(Unused);
        Write(entry, (int)ReadyToRunSection.OwnerCompositeExecutable, _layout.Number(entry + 4), 12);

        ReadyToRunImage.TryRead(Save("System.Linq.dll"), out string? reason).Should().BeNull();
        reason.Should().Be("The code of the file is in all.r2r.dll.");
    }

    /// <summary>Metadata that refers to System.Linq.</summary>
    private static byte[] Manifest()
    {
        var metadata = new MetadataBuilder();
        metadata.AddModule(0, default, default, default, default);
        metadata.AddAssemblyReference(metadata.GetOrAddString("System.Linq"), new Version(), default, default, default, default);
        var bytes = new BlobBuilder();
        new MetadataRootBuilder(metadata, suppressValidation: true).Serialize(bytes, 0, 0);
        return bytes.ToArray();
    }

    private void Write(int offset, params ReadOnlySpan<int> numbers)
    {
        foreach (int number in numbers)
        {
            BinaryPrimitives.WriteInt32LittleEndian(_image.AsSpan(offset), number);
            offset += 4;
        }
    }

    private string Save(string name)
    {
        string path = Path.Combine(_folder, name);
        File.WriteAllBytes(path, _image);
        return path;
    }
}
