namespace Picollo.Profiling.Symbols.ReadyToRun;

/// <summary>The sections of a ReadyToRun image that contain the locations of methods, with the numbers of the format.</summary>
internal enum ReadyToRunSection
{
    RuntimeFunctions = 102,
    MethodDefEntryPoints = 103,
    DelayLoadThunks = 106,
    InstanceEntryPoints = 109,
    ManifestMetadata = 112,
    ComponentAssemblies = 115,
    OwnerCompositeExecutable = 116,
    HotColdMap = 120,
}

/// <summary>The ReadyToRun header of an image, or of one assembly of a composite image. The format is documented in
/// docs/design/coreclr/botr/readytorun-format.md of dotnet/runtime. Methods throw <see cref="BadImageFormatException"/> for a damaged
/// file.</summary>
internal sealed class ReadyToRunHeader
{
    private const uint Signature = 0x0052_5452; // "RTR"

    private readonly PeFile _file;
    private readonly Dictionary<ReadyToRunSection, (uint Rva, uint Size)> _sections = [];

    private ReadyToRunHeader(PeFile file, uint rva, Version version)
    {
        _file = file;
        Version = version;
        uint count = new NativeData(file.Read(rva + 4, 4)).ReadUInt32();
        if (count > ushort.MaxValue)
        {
            throw new BadImageFormatException("The ReadyToRun header has too many sections.");
        }

        var entries = new NativeData(file.Read(rva + 8, count * 12));
        for (uint i = 0; i < count; i++)
        {
            _sections[(ReadyToRunSection)entries.ReadUInt32()] = (entries.ReadUInt32(), entries.ReadUInt32());
        }
    }

    public Version Version { get; }

    /// <summary>Whether the image contains the code of several assemblies, whose metadata is in separate files.</summary>
    public bool IsComposite => _sections.ContainsKey(ReadyToRunSection.ComponentAssemblies);

    /// <summary>The name of the composite image that contains the code of this assembly; empty if the file contains it.</summary>
    public string CompositeImage => Encoding.UTF8.GetString(Read(ReadyToRunSection.OwnerCompositeExecutable)).TrimEnd('\0');

    public static ReadyToRunHeader Read(PeFile file)
    {
        uint rva = (uint)(file.Headers.CorHeader?.ManagedNativeHeaderDirectory.RelativeVirtualAddress ?? 0);
        rva = rva != 0 ? rva : ExportedHeader(file) ?? throw new BadImageFormatException("The file has no ReadyToRun code.");
        var data = new NativeData(file.Read(rva, 8));
        return data.ReadUInt32() == Signature
            ? new ReadyToRunHeader(file, rva + 8, new Version(data.ReadUInt16(), data.ReadUInt16()))
            : throw new BadImageFormatException("The file's native code is not in the ReadyToRun format.");
    }

    /// <summary>Returns the address and length of a section; <see langword="null"/> if the image does not have it.</summary>
    public (uint Rva, uint Length)? RangeOf(ReadyToRunSection kind) =>
        _sections.TryGetValue(kind, out (uint Rva, uint Length) section) ? section : null;

    /// <summary>Reads a section. Returns an empty array if the image does not have it.</summary>
    public byte[] Read(ReadyToRunSection kind)
    {
        (uint rva, uint size) = _sections.GetValueOrDefault(kind);
        return size == 0 ? [] : _file.Read(rva, size);
    }

    /// <summary>Reads the headers of the assemblies of a composite image, in the order of its manifest.</summary>
    public List<ReadyToRunHeader> ReadComponents()
    {
        byte[] section = Read(ReadyToRunSection.ComponentAssemblies);
        var headers = new List<ReadyToRunHeader>();
        for (int entry = 0; entry + 16 <= section.Length; entry += 16)
        {
            headers.Add(new ReadyToRunHeader(_file, new NativeData(section, entry + 8).ReadUInt32(), Version));
        }

        return headers;
    }

    /// <summary>Returns the address of the header of a composite image, which is its only export.</summary>
    private static uint? ExportedHeader(PeFile file)
    {
        if (file.Headers.PEHeader?.ExportTableDirectory is not { Size: > 0 } directory)
        {
            return null;
        }

        var table = new NativeData(file.Read((uint)directory.RelativeVirtualAddress, 40), 28);
        var functions = new NativeData(file.Read(table.ReadUInt32(), 4));
        var names = new NativeData(file.Read(table.ReadUInt32(), 4));
        return file.Read(names.ReadUInt32(), 11).AsSpan().SequenceEqual("RTR_HEADER\0"u8) ? functions.ReadUInt32() : null;
    }
}
