using System.Reflection.Metadata;
using System.Reflection.PortableExecutable;
using Picollo.Profiling.Symbols.Files;

namespace Picollo.Profiling.Symbols.ReadyToRun;

/// <summary>A PE file. Only the requested parts are copied into memory. Methods throw <see cref="BadImageFormatException"/> for a damaged
/// file.</summary>
/// <remarks>The file is not mapped. Truncating a mapped file ends the process that reads it, and changing it makes
/// <see cref="MetadataReader"/> read out of bounds.</remarks>
internal sealed class PeFile
{
    private const int ReadCostBytes = 4096;
    private const int SectionHeaderBytes = 40;

    private readonly FileStream _file;
    private readonly long _start;
    private readonly ReadBudget _total;
    private long _budgetBytes;

    /// <summary>Reads the headers of a file, which must remain open. A single-file application contains many images.</summary>
    public PeFile(FileStream file, long start = 0, ReadBudget? total = null)
    {
        (_file, _start, _total) = (file, start, total ?? new ReadBudget());
        _budgetBytes = (4 * file.Length) + (256 * ReadCostBytes);
        file.Position = start;
        Headers = new PEHeaders(file, (int)Math.Max(file.Length - start, 0));
    }

    public PEHeaders Headers { get; }

    public static FileStream Open(string path, string? root = null)
    {
        var file = new FileStream(ForeignFile.Open(path, root), FileAccess.Read);
        if (file.Length is > 0 and <= int.MaxValue)
        {
            return file;
        }

        file.Dispose();
        throw new BadImageFormatException("The file is empty or larger than 2 GB.");
    }

    public byte[] Read(uint rva, uint size)
    {
        // The parts of a valid image do not overlap. Without a limit, small damage could cause a large amount of work.
        _budgetBytes -= size + ReadCostBytes + (Headers.SectionHeaders.Length * SectionHeaderBytes);
        if (_budgetBytes < 0)
        {
            throw new BadImageFormatException("The parts of the file are larger than the file.");
        }

        foreach (SectionHeader section in Headers.SectionHeaders)
        {
            long offset = (long)rva - section.VirtualAddress;
            long start = _start + section.PointerToRawData + offset;
            if (offset >= 0 && offset + size <= section.SizeOfRawData && start >= 0 && start + size <= _file.Length)
            {
                if (!_total.TryTake(size))
                {
                    throw new BadImageFormatException("The tables of the profiled files are too large.");
                }

                byte[] part = GC.AllocateUninitializedArray<byte>((int)size);
                return RandomAccess.Read(_file.SafeFileHandle, part, start) == size
                    ? part
                    : throw new BadImageFormatException("The file was truncated while it was read.");
            }
        }

        throw new BadImageFormatException($"The file does not contain the {size} bytes at the address 0x{rva:x}.");
    }

    public MetadataReader ReadMetadata() => Headers.CorHeader?.MetadataDirectory is { } directory
        ? ToMetadata(Read((uint)directory.RelativeVirtualAddress, (uint)directory.Size))
        : throw new BadImageFormatException("The file has no metadata.");

    /// <summary>Reads metadata. The result keeps <paramref name="bytes"/> pinned until it is collected.</summary>
    public static MetadataReader ToMetadata(byte[] bytes) =>
        MetadataReaderProvider.FromMetadataImage(ImmutableCollectionsMarshal.AsImmutableArray(bytes)).GetMetadataReader();
}
