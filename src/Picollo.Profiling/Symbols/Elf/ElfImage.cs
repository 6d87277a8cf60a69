using Picollo.Profiling.Symbols.Files;

namespace Picollo.Profiling.Symbols;

/// <summary>The functions of an executable file or library for 64-bit Linux: addresses of file offsets, and names of addresses.</summary>
/// <remarks>
/// <para>Addresses are those in the file (<c>st_value</c>). The load address is not needed, because /proc/PID/maps has file offsets.</para>
/// <para>Only headers and symbol tables are read (elf(5)). A damaged file causes an error reason or wrong names, but never an exception.
/// The memory is at most a few times the size of the tables. Immutable and thread-safe.</para>
/// </remarks>
internal sealed class ElfImage
{
    private const int HeaderBytes = 64;
    private const int SegmentBytes = 56;
    private const int SectionBytes = 64;
    private const int SymbolBytes = 24;

    private const int MaxNameBytes = 1 << 12;

    private readonly Segment[] _segments;
    private readonly Function[] _functions;
    private readonly ulong[] _starts;
    private readonly int[] _outer;
    private readonly byte[] _strings;
    private readonly ulong[] _unwound;

    private ElfImage(Segment[] segments, Function[] functions, byte[] strings, ulong[] unwound)
    {
        _unwound = unwound;
        _segments = segments;
        _functions = functions;
        _strings = strings;
        _starts = [.. functions.Select(function => function.Start)];
        _outer = OuterOf(functions);
    }

    /// <summary>The number of addresses that have a name.</summary>
    public int FunctionCount => _functions.Length;

    /// <summary>Reads a file. The image has no functions if there are no symbols. It is null, with a reason, if it cannot be
    /// read.</summary>
    public static ElfImage? TryRead(string path, out string? reason, string? root = null, ReadBudget? budget = null)
    {
        try
        {
            using var file = new FileStream(ForeignFile.Open(path, root), FileAccess.Read, bufferSize: 0);
            reason = null;
            return Read(file, budget ?? new ReadBudget());
        }
        catch (Exception e) when (e is InvalidDataException or IOException or UnauthorizedAccessException or ArgumentException)
        {
            reason = e.Message;
            return null;
        }
    }

    /// <summary>Reads an image in memory; null if it is damaged.</summary>
    public static ElfImage? TryRead(byte[] image)
    {
        try
        {
            return Read(new MemoryStream(image), new ReadBudget());
        }
        catch (InvalidDataException)
        {
            return null;
        }
    }

    /// <summary>Finds the address of code by its offset in the file, in bytes. Returns false if no segment loads it.</summary>
    public bool TryGetAddress(long fileOffset, out ulong address)
    {
        foreach (Segment segment in _segments)
        {
            ulong position = (ulong)fileOffset - segment.Offset;
            if (position < segment.Bytes)
            {
                address = segment.Address + position;
                return true;
            }
        }

        address = 0;
        return false;
    }

    /// <summary>Returns the innermost function at an address of the file, without its version and demangled; null for none.</summary>
    public string? NameOf(ulong address)
    {
        int index = Array.BinarySearch(_starts, address);
        index = index < 0 ? ~index - 1 : index;
        while (index >= 0 && _functions[index].End <= address)
        {
            index = _outer[index];
        }

        return index < 0 ? null : SymbolName.Demangle(Encoding.UTF8.GetString(NameAt(_strings, _functions[index].Name)));
    }

    /// <summary>Returns the start of the function that contains an address, even if it has no name; the address itself if the start is
    /// unknown.</summary>
    public ulong StartOf(ulong address)
    {
        int index = Array.BinarySearch(_unwound, address);
        index = index < 0 ? ~index - 1 : index;
        return index < 0 ? address : _unwound[index];
    }

    private static ElfImage Read(Stream file, ReadBudget budget)
    {
        Check(file.Length >= HeaderBytes, "it is not an ELF file");
        byte[] header = Read(file, budget, 0, HeaderBytes);
        Check(header.AsSpan().StartsWith("\u007FELF"u8), "it is not an ELF file");
        Check(header[4] == 2 && header[5] == 1, "it is not a 64-bit little-endian ELF file");
        Check(At<ushort>(header, 18) is 62 or 183, "it is not for x64 or arm64"); // EM_X86_64, EM_AARCH64
        byte[] segments = Read(file, budget, At<ulong>(header, 32), At<ushort>(header, 56) * (ulong)SegmentBytes);
        byte[] sections = Read(file, budget, At<ulong>(header, 40), At<ushort>(header, 60) * (ulong)SectionBytes);
        var functions = new List<Function>();
        byte[] strings = [];
        IEnumerable<int> tables = Enumerable.Range(0, sections.Length / SectionBytes).Select(index => index * SectionBytes)
            .Where(offset => At<uint>(sections, offset + 4) is 2 or 11) // SHT_SYMTAB, which is often stripped, and SHT_DYNSYM
            .OrderBy(offset => At<uint>(sections, offset + 4));
        foreach (int offset in tables.Take(2).TakeWhile(_ => functions.Count == 0))
        {
            strings = AddFunctions(file, budget, sections, offset, functions);
        }

        return new ElfImage(
            SegmentsOf(segments), Sorted(functions), functions.Count == 0 ? [] : strings, UnwoundOf(file, budget, segments));
    }

    /// <summary>Returns the starts of all functions that can be unwound, in order: the search table of .eh_frame_hdr (Linux Standard Base
    /// Core, "DWARF Extensions"). Empty if the table does not have the usual format.</summary>
    private static ulong[] UnwoundOf(Stream file, ReadBudget budget, byte[] segments)
    {
        const uint ehFrame = 0x6474e550; // PT_GNU_EH_FRAME
        const int tableStart = 12, entryBytes = 8;
        int segment = Enumerable.Range(0, segments.Length / SegmentBytes).Select(index => index * SegmentBytes)
            .FirstOrDefault(offset => At<uint>(segments, offset) == ehFrame, -1);
        byte[] table = segment < 0 ? [] : Read(file, budget, At<ulong>(segments, segment + 8), At<ulong>(segments, segment + 32));

        // Version 1; a relative pointer to .eh_frame, a 32-bit count, and pairs of 32-bit numbers that are relative to the table.
        if (table is not [1, 0x1b, 0x03, 0x3b, _, _, _, _, _, _, _, _, ..])
        {
            return [];
        }

        long address = At<long>(segments, segment + 16);
        int count = (int)Math.Min(At<uint>(table, 8), (uint)(table.Length - tableStart) / entryBytes);
        ulong[] starts =
            [.. Enumerable.Range(0, count).Select(index => (ulong)(address + At<int>(table, tableStart + (index * entryBytes))))];
        Array.Sort(starts);
        return starts;
    }

    private static Segment[] SegmentsOf(byte[] table)
    {
        const uint load = 1, executable = 1; // PT_LOAD, PF_X
        return
        [
            .. Enumerable.Range(0, table.Length / SegmentBytes).Select(index => index * SegmentBytes)
                .Where(offset => At<uint>(table, offset) == load)
                .OrderByDescending(offset => At<uint>(table, offset + 4) & executable)
                .Select(offset => new Segment(At<ulong>(table, offset + 8), At<ulong>(table, offset + 32), At<ulong>(table, offset + 16))),
        ];
    }

    /// <summary>Adds the functions of a symbol table. Returns the string table of their names.</summary>
    private static byte[] AddFunctions(Stream file, ReadBudget budget, byte[] sections, int section, List<Function> functions)
    {
        int linked = (int)Math.Min(At<uint>(sections, section + 40), int.MaxValue / SectionBytes) * SectionBytes;
        Check(linked < sections.Length, "it is damaged: a symbol table has no strings");
        byte[] names = Read(file, budget, At<ulong>(sections, linked + 24), At<ulong>(sections, linked + 32));
        byte[] symbols = Read(file, budget, At<ulong>(sections, section + 24), At<ulong>(sections, section + 32));
        for (int offset = 0; offset + SymbolBytes <= symbols.Length; offset += SymbolBytes)
        {
            uint name = At<uint>(symbols, offset);
            bool isFunction = (symbols[offset + 4] & 0xF) is 2 or 10; // STT_FUNC, STT_GNU_IFUNC
            int owner = At<ushort>(symbols, offset + 6) * SectionBytes; // 0 for symbols of other files
            if (!isFunction || owner == 0 || owner >= sections.Length || name >= names.Length || names[name] == 0)
            {
                continue;
            }

            ulong start = At<ulong>(symbols, offset + 8);
            ulong size = At<ulong>(symbols, offset + 16);
            ulong sectionEnd = At<ulong>(sections, owner + 16) + At<ulong>(sections, owner + 32);
            ulong end = size == 0 ? sectionEnd : start + Math.Min(size, ulong.MaxValue - start);
            int binding = symbols[offset + 4] >> 4; // STB_LOCAL is 0, STB_GLOBAL 1, STB_WEAK 2

            // Functions of the vDSO have a second name, which is the name of a function of the C library.
            ReadOnlySpan<byte> text = NameAt(names, (int)name);
            int underscores = text.StartsWith("__vdso_"u8) ? 0 : text.IndexOfAnyExcept((byte)'_');
            int rank = ((binding == 0 ? 1 : 0) << 16) + (Math.Max(underscores, 0) << 2) + Math.Min(binding, 3);
            functions.Add(new Function(start, end, (int)name, rank, size == 0));
        }

        return names;
    }

    /// <summary>Sorts the functions, keeps the best name of each address, and ends functions of unknown size at the next one.</summary>
    private static Function[] Sorted(List<Function> all)
    {
        // Among equal names, the first in the string table is used, so that the result does not depend on the sort.
        all.Sort((left, right) => (left.Start, left.Rank, left.Name).CompareTo((right.Start, right.Rank, right.Name)));
        int count = 0;
        foreach (Function function in CollectionsMarshal.AsSpan(all))
        {
            if (count == 0 || all[count - 1].Start != function.Start)
            {
                all[count++] = function;
            }
            else if (!function.IsOpen && (all[count - 1].IsOpen || function.End > all[count - 1].End))
            {
                all[count - 1] = all[count - 1] with { End = function.End, IsOpen = false };
            }
        }

        for (int i = 0; i + 1 < count; i++)
        {
            all[i] = all[i].IsOpen ? all[i] with { End = Math.Min(all[i].End, all[i + 1].Start) } : all[i];
        }

        return [.. all.Take(count)];
    }

    /// <summary>Returns, for each function, the last function before it that extends beyond its start; -1 if there is none.</summary>
    private static int[] OuterOf(Function[] functions)
    {
        var outer = new int[functions.Length];
        for (int i = 0; i < functions.Length; i++)
        {
            outer[i] = i - 1;
            while (outer[i] >= 0 && functions[outer[i]].End <= functions[i].Start)
            {
                outer[i] = outer[outer[i]];
            }
        }

        return outer;
    }

    /// <summary>Returns a name without its version: <c>memcpy</c> for <c>memcpy@@GLIBC_2.14</c>.</summary>
    private static ReadOnlySpan<byte> NameAt(byte[] strings, int position)
    {
        ReadOnlySpan<byte> name = strings.AsSpan(position, Math.Min(MaxNameBytes, strings.Length - position));
        int end = name.IndexOfAny((byte)0, (byte)'@');
        return end < 0 ? name : name[..end];
    }

    private static byte[] Read(Stream file, ReadBudget budget, ulong offset, ulong count)
    {
        ulong length = (ulong)file.Length;
        Check(offset <= length && count <= length - offset, "it is damaged: a table is outside the file");
        Check(budget.TryTake((long)count), "the symbol tables of the profiled files are too large");
        var bytes = new byte[count];
        file.Position = (long)offset;
        int read = file.ReadAtLeast(bytes, bytes.Length, throwOnEndOfStream: false);
        Check(read == bytes.Length, "it is damaged: a table is outside the file");
        return bytes;
    }

    private static void Check(bool isValid, string reason)
    {
        if (!isValid)
        {
            throw new InvalidDataException(reason);
        }
    }

    /// <summary>Reads a number of the file, which is little-endian like both processors.</summary>
    private static T At<T>(byte[] bytes, int offset)
        where T : unmanaged => MemoryMarshal.Read<T>(bytes.AsSpan(offset));

    private readonly record struct Segment(ulong Offset, ulong Bytes, ulong Address);

    // A name is a position in the strings. Lower ranks are better. The size of an open function is unknown.
    private readonly record struct Function(ulong Start, ulong End, int Name, int Rank, bool IsOpen);
}
