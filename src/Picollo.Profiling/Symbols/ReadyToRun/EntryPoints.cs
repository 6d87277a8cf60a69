namespace Picollo.Profiling.Symbols.ReadyToRun;

/// <summary>The start of a method in an image.</summary>
/// <param name="Function">The index of its first piece of code in <see cref="RuntimeFunctions"/>.</param>
/// <param name="Component">The index of the assembly that defines the method; -1 for an instance of generic code.</param>
/// <param name="Method">The row of the method in the metadata of its assembly; for an instance of generic code, the position of its
/// signature.</param>
internal readonly record struct EntryPoint(int Function, int Component, int Method) : IComparable<EntryPoint>
{
    public int CompareTo(EntryPoint other) => Function.CompareTo(other.Function);
}

/// <summary>The entry points of an image, in the order of their code.</summary>
internal sealed class EntryPoints
{
    private const uint BlockSize = 16;

    private readonly List<EntryPoint> _all = [];
    private readonly int _functionCount;

    /// <summary>Reads the sections <see cref="ReadyToRunSection.MethodDefEntryPoints"/> of each assembly, and the section
    /// <see cref="ReadyToRunSection.InstanceEntryPoints"/>.</summary>
    public EntryPoints(int functionCount, IReadOnlyList<byte[]> components, byte[] instances)
    {
        _functionCount = functionCount;
        for (int i = 0; i < components.Count; i++)
        {
            ReadMethods(components[i], i);
        }

        ReadInstances(instances);
        _all.Sort();
    }

    /// <summary>Returns the method that a piece of code belongs to.</summary>
    public bool TryFind(int function, out EntryPoint entry)
    {
        int index = _all.BinarySearch(new EntryPoint(function, 0, 0));
        index = index < 0 ? ~index - 1 : index;
        entry = index < 0 ? default : _all[index];
        return index >= 0;
    }

    // A sparse array, indexed by the row of the method: blocks of 16 elements, each a binary tree over the low four bits.
    private void ReadMethods(byte[] section, int component)
    {
        if (section.Length == 0)
        {
            return;
        }

        var header = new NativeData(section);
        uint sizes = header.ReadUnsigned();
        uint count = sizes >> 2;
        int offsetSize = (int)(sizes & 3);
        long blocks = header.Position;
        for (uint index = 0; index < count; index += BlockSize)
        {
            var offset = new NativeData(section, blocks + (index / BlockSize << offsetSize));
            ReadTree(section, blocks + offset.ReadOffset(offsetSize), index, BlockSize / 2, component);
        }
    }

    private void ReadTree(byte[] section, long position, uint index, uint bit, int component)
    {
        var node = new NativeData(section, position);
        if (bit == 0)
        {
            Add(node, component, (int)index + 1);
            return;
        }

        uint value = node.ReadUnsigned();
        uint rest = value >> 2;
        switch (value & 3)
        {
            case 0 when rest < BlockSize:
                // The only element of the block follows. In an empty block, the index is outside the block.
                Add(node, component, (int)((index & ~(BlockSize - 1)) + rest) + 1);
                return;
            case 1 or 3:
                ReadTree(section, node.Position, index, bit / 2, component);
                break;
        }

        if ((value & 2) != 0)
        {
            ReadTree(section, position + rest, index | bit, bit / 2, component);
        }
    }

    // A hash table: the offsets of the buckets and of the end, then entries that consist of a byte of the hash and a relative offset.
    private void ReadInstances(byte[] section)
    {
        if (section.Length == 0)
        {
            return;
        }

        byte header = section[0];
        int offsetSize = header & 3;
        long bucketCount = 1L << Math.Min(header >> 2, 32);
        var entry = new NativeData(section, 1 + new NativeData(section, 1).ReadOffset(offsetSize));
        long end = 1 + new NativeData(section, 1 + (bucketCount << offsetSize)).ReadOffset(offsetSize);

        // A signature takes at least one byte for each of its types, and signatures do not overlap, except in a damaged image.
        int budget = section.Length;
        while (entry.Position < end)
        {
            _ = entry.ReadByte();
            long start = entry.Position;
            start += entry.ReadSigned();
            var signature = new SignatureReader(new NativeData(section, start), budget);
            signature.Read();
            budget = signature.Budget;
            Add(signature.Data, component: -1, (int)start);
        }
    }

    // The number of the entry point is followed by fixups if its low bit is set, or by their offset if the second bit is also set.
    private void Add(NativeData data, int component, int method)
    {
        uint value = data.ReadUnsigned();
        uint function = (value & 1) != 0 ? value >> 2 : value >> 1;
        if (function >= _functionCount || _all.Count == _functionCount)
        {
            throw new BadImageFormatException("A table of entry points contradicts the table of functions.");
        }

        _all.Add(new EntryPoint((int)function, component, method));
    }
}
