using System.Buffers.Binary;
using System.Reflection.PortableExecutable;

namespace Picollo.Profiling.Symbols.ReadyToRun;

/// <summary>The pieces of code of an image, in the order of their addresses. A method consists of its entry point, the funclets of its
/// exception handlers, and cold code.</summary>
internal sealed class RuntimeFunctions
{
    private readonly byte[] _functions;
    private readonly byte[] _coldToHot;
    private readonly int _size;
    private readonly bool _hasEnds;
    private readonly uint _thunks;

    /// <param name="functions">The section <see cref="ReadyToRunSection.RuntimeFunctions"/>.</param>
    /// <param name="coldToHot">The section <see cref="ReadyToRunSection.HotColdMap"/>.</param>
    /// <param name="machine">The machine of the image.</param>
    /// <param name="thunks">The address of the thunks that follow the last method.</param>
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

    /// <summary>The number of pieces.</summary>
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
