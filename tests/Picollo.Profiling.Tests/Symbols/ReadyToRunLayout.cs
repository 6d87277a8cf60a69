using System.Buffers.Binary;
using System.Reflection.PortableExecutable;
using System.Runtime.InteropServices;
using Picollo.Profiling.Symbols.ReadyToRun;

namespace Picollo.Profiling.Tests.Symbols;

/// <summary>The offsets of the parts of an image.</summary>
internal sealed class ReadyToRunLayout
{
    private readonly byte[] _image;
    private readonly PEHeaders _headers;

    public ReadyToRunLayout(byte[] image)
    {
        _image = image;
        _headers = new PEHeaders(new MemoryStream(image));
        Header = OffsetOf(_headers.CorHeader!.ManagedNativeHeaderDirectory.RelativeVirtualAddress);
        Tables =
        [
            (0, 0x200),
            (_headers.CorHeaderStartOffset, 72),
            (Header, 16 + (12 * SectionCount)),
            (Metadata, 200),
            (Metadata, _headers.MetadataSize),
            .. new[]
            {
                ReadyToRunSection.RuntimeFunctions,
                ReadyToRunSection.MethodDefEntryPoints,
                ReadyToRunSection.InstanceEntryPoints,
                ReadyToRunSection.ManifestMetadata,
            }.Select(section => (Start(section), Number(Entry(section) + 8))),
        ];
        (int start, int length) = Tables.Single(table => table.Start == Start(ReadyToRunSection.RuntimeFunctions));
        int size = RuntimeInformation.ProcessArchitecture == Architecture.X64 ? 12 : 8;
        Functions = [.. Enumerable.Range(0, length / size).Select(i => (uint)Number(start + (i * size)))];
    }

    /// <summary>The offset of the ReadyToRun header.</summary>
    public int Header { get; }

    /// <summary>The offset of the address of the exports.</summary>
    public int Exports => _headers.PEHeaderStartOffset + 112;

    /// <summary>The offset of the address of the ReadyToRun header.</summary>
    public int HeaderAddress => _headers.CorHeaderStartOffset + 64;

    public int Metadata => _headers.MetadataStartOffset;

    /// <summary>The parts that are read.</summary>
    public (int Start, int Length)[] Tables { get; }

    /// <summary>The addresses of all functions.</summary>
    public uint[] Functions { get; }

    private int SectionCount => Number(Header + 12);

    /// <summary>The offset of the description of a section: its number, address and size.</summary>
    public int Entry(ReadyToRunSection section) =>
        Enumerable.Range(0, SectionCount).Select(i => Header + 16 + (12 * i)).Single(entry => Number(entry) == (int)section);

    /// <summary>The offset of a section.</summary>
    public int Start(ReadyToRunSection section) => OffsetOf(Number(Entry(section) + 4));

    private int OffsetOf(int rva)
    {
        SectionHeader section = _headers.SectionHeaders[_headers.GetContainingSectionIndex(rva)];
        return rva - section.VirtualAddress + section.PointerToRawData;
    }

    /// <summary>The number at an offset.</summary>
    public int Number(int offset) => BinaryPrimitives.ReadInt32LittleEndian(_image.AsSpan(offset));
}
