using System.Buffers.Binary;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;
using Picollo.Profiling.Symbols.Files;

namespace Picollo.Profiling.Symbols.ReadyToRun;

/// <summary>Names the methods that were compiled ahead of time into a .NET assembly (ReadyToRun code). The runtime does not write such
/// methods to perf maps. Immutable and thread-safe.</summary>
/// <remarks>An instance holds the metadata and the tables of the image, about half of the file, but not its code. Release it when the
/// addresses of a profile are named.</remarks>
internal sealed class ReadyToRunImage
{
    private readonly PEHeaders _headers;
    private readonly long _start;
    private readonly ReadyToRunModules _modules;
    private readonly RuntimeFunctions _functions;
    private readonly EntryPoints _entryPoints;
    private readonly byte[] _instances;
    private readonly (uint Start, uint Length) _thunks;

    private ReadyToRunImage(string path, PeFile file, long start, string? root, ReadBudget budget)
    {
        _start = start;
        ReadyToRunHeader header = ReadyToRunHeader.Read(file);
        if (header.CompositeImage is { Length: > 0 } composite)
        {
            throw new BadImageFormatException($"The code of the file is in {composite}.");
        }

        _headers = file.Headers;
        MetadataReader? own = header.IsComposite ? null : file.ReadMetadata();
        ModuleName = start > 0 && own is { IsAssembly: true } // bundled: the file has another name
            ? own.GetString(own.GetAssemblyDefinition().Name) + ".dll"
            : Path.GetFileName(path);
        MetadataReader? manifest =
            header.Read(ReadyToRunSection.ManifestMetadata) is { Length: > 0 } bytes ? PeFile.ToMetadata(bytes) : null;
        _modules = new ReadyToRunModules(Path.GetDirectoryName(path) ?? "", own, manifest, header.Version, root, budget);
        _thunks = header.RangeOf(ReadyToRunSection.DelayLoadThunks) ?? (uint.MaxValue, 0);
        _functions = new RuntimeFunctions(
            header.Read(ReadyToRunSection.RuntimeFunctions),
            header.Read(ReadyToRunSection.HotColdMap),
            file.Headers.CoffHeader.Machine,
            _thunks.Start);
        _instances = header.Read(ReadyToRunSection.InstanceEntryPoints);
        List<ReadyToRunHeader> components = header.IsComposite ? header.ReadComponents() : [header];
        _entryPoints = new EntryPoints(
            _functions.Count,
            components.ConvertAll(component => component.Read(ReadyToRunSection.MethodDefEntryPoints)),
            _instances);
    }

    /// <summary>The name of the file, for example "System.Private.CoreLib.dll".</summary>
    public string ModuleName { get; }

    /// <summary>Reads the tables of an image; null if the file cannot be read, is damaged, or has no ReadyToRun code. The names are decoded
    /// later, on demand. Files of other assemblies in the same folder are also read if names refer to them.</summary>
    public static ReadyToRunImage? TryRead(
        string path, out string? reason, long start = 0, string? root = null, ReadBudget? budget = null)
    {
        try
        {
            budget ??= new ReadBudget();
            using FileStream file = PeFile.Open(path, root);
            reason = null;
            return new ReadyToRunImage(path, new PeFile(file, start, budget), start, root, budget);
        }
        catch (Exception e) when (IsUnreadable(e))
        {
            reason = e.Message;
            return null;
        }
    }

    /// <summary>Finds the address, relative to the image, at which a byte of the file is loaded; false if it is in no section.</summary>
    public bool TryGetRva(long fileOffset, out uint rva)
    {
        foreach (SectionHeader section in _headers.SectionHeaders)
        {
            long offset = fileOffset - _start - section.PointerToRawData;
            if (offset >= 0 && offset < section.SizeOfRawData)
            {
                rva = unchecked((uint)(section.VirtualAddress + offset));
                return true;
            }
        }

        rva = 0;
        return false;
    }

    /// <summary>Returns whether an address is in the code by which methods call others for the first time.</summary>
    public bool IsThunk(uint rva) => rva - _thunks.Start < _thunks.Length;

    /// <summary>Returns the name of the method that contains an instruction, in the format of perf maps plus the arguments of a generic
    /// method: <c>Namespace.Outer+Inner`1[System.Int32,System.__Canon]::Method[System.String]</c>.</summary>
    /// <returns><see langword="null"/> if no method contains the address, or its name is unreadable.</returns>
    public string? NameOf(uint rva)
    {
        int function = _functions.IndexOf(rva);
        if (function < 0 || !_entryPoints.TryFind(function, out EntryPoint entry))
        {
            return null;
        }

        try
        {
            var text = new StringBuilder();
            if (entry.Component < 0)
            {
                new SignatureReader(new NativeData(_instances, entry.Method), _instances.Length, _modules, text).Read();
            }
            else
            {
                EntityHandle method = MetadataTokens.MethodDefinitionHandle(entry.Method);
                MetadataNames.AppendMethod(text, _modules.Component(entry.Component), method, withType: true);
            }

            // The metadata may be unpinned when this instance is collected.
            GC.KeepAlive(this);
            return text.ToString();
        }
        catch (Exception e) when (IsUnreadable(e))
        {
            return null;
        }
    }

    // MetadataReader overflows on some damage. ArgumentException comes from paths, and from metadata rows that are too large for a token.
    private static bool IsUnreadable(Exception e) =>
        e is BadImageFormatException or IOException or UnauthorizedAccessException or OverflowException or ArgumentException;
}

/// <summary>The pieces of code of an image, in the order of their addresses. A method consists of its entry point, the funclets of its
/// exception handlers, and cold code.</summary>
internal sealed class RuntimeFunctions
{
    private readonly byte[] _functions;
    private readonly byte[] _coldToHot;
    private readonly int _size;
    private readonly bool _hasEnds;
    private readonly uint _thunks;

    /// <summary>Reads <see cref="ReadyToRunSection.RuntimeFunctions"/> and <see cref="ReadyToRunSection.HotColdMap"/>.</summary>
    /// <remarks>The thunks follow the last method.</remarks>
    public RuntimeFunctions(byte[] functions, byte[] coldToHot, Machine machine, uint thunks)
    {
        // The machine of an image is combined with a constant of its operating system: Windows, Linux, macOS, FreeBSD.
        _hasEnds = ((int)machine ^ (int)Machine.Amd64) is 0 or 0x7B79 or 0x4644 or 0xADC4;
        _size = _hasEnds ? 12 : 8;
        _functions = functions;
        _coldToHot = coldToHot;
        _thunks = thunks;
        Count = functions.Length / _size;
    }

    public int Count { get; }

    /// <summary>Returns the index of the piece that contains an address, or the index of the entry point if the piece is cold code; -1 if
    /// no piece contains the address.</summary>
    public int IndexOf(uint rva)
    {
        int index = LastAtMost(_functions, Count, _size, rva);
        uint end = index < 0 ? 0
            : _hasEnds ? At(_functions, (index * _size) + 4)
            : index < Count - 1 ? uint.MaxValue
            : _thunks;
        if (rva >= end)
        {
            return -1;
        }

        int cold = LastAtMost(_coldToHot, _coldToHot.Length / 8, 8, (uint)index);
        return cold < 0 ? index : (int)Math.Min(At(_coldToHot, (cold * 8) + 4), int.MaxValue);
    }

    private static uint At(byte[] table, int offset) => BinaryPrimitives.ReadUInt32LittleEndian(table.AsSpan(offset, 4));

    /// <summary>Returns the index of the last entry whose first number is at most <paramref name="value"/>, or -1.</summary>
    private static int LastAtMost(byte[] table, int count, int size, uint value)
    {
        int low = 0;
        int high = count - 1;
        while (low <= high)
        {
            int middle = (low + high) >>> 1;
            if (At(table, middle * size) <= value)
            {
                low = middle + 1;
            }
            else
            {
                high = middle - 1;
            }
        }

        return high;
    }
}
