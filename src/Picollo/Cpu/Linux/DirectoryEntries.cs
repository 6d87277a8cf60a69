using System.Buffers.Binary;

namespace Picollo.Cpu.Linux;

/// <summary>Goes through what getdents64(2) wrote: struct linux_dirent64, one after the other.</summary>
internal ref struct DirectoryEntries(ReadOnlySpan<byte> buffer)
{
    // u64 d_ino, s64 d_off, u16 d_reclen, u8 d_type, then the name and a zero.
    private const int LengthOffset = 16;
    private const int NameOffset = 19;

    private ReadOnlySpan<byte> _rest = buffer;

    /// <summary>The name that was reached, without the zero.</summary>
    public ReadOnlySpan<byte> Name { get; private set; }

    /// <summary>Goes to the next entry; false at the end, or where the rest is no entry.</summary>
    public bool MoveNext()
    {
        if (_rest.Length <= NameOffset)
        {
            return false;
        }

        int length = BinaryPrimitives.ReadUInt16LittleEndian(_rest[LengthOffset..]);
        if (length <= NameOffset || length > _rest.Length)
        {
            return false;
        }

        ReadOnlySpan<byte> name = _rest[NameOffset..length];
        int end = name.IndexOf((byte)0);
        Name = end < 0 ? name : name[..end];
        _rest = _rest[length..];
        return true;
    }
}
