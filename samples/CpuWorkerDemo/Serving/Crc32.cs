using System.Buffers.Binary;
using System.Runtime.CompilerServices;

namespace Picollo.Samples.CpuWorker.Serving;

/// <summary>Computes the checksum of Ethernet, zip and PNG (polynomial 0x04C11DB7, reflected), eight bytes per step. The work is the same on every
/// processor.</summary>
public static class Crc32
{
    private const uint ReflectedPolynomial = 0xEDB88320;

    // Table k contains the effect of a byte on the checksum k bytes later.
    private static readonly uint[] Tables = CreateTables();

    /// <summary>Returns the checksum of the previous bytes followed by these bytes.</summary>
    /// <param name="crc">The checksum of the previous bytes, or 0 at the start.</param>
    /// <param name="bytes">The bytes to add.</param>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)] // the calibration at startup needs the final speed
    public static uint Append(uint crc, ReadOnlySpan<byte> bytes)
    {
        ReadOnlySpan<uint> tables = Tables;
        crc = ~crc;
        for (; bytes.Length >= 8; bytes = bytes[8..])
        {
            uint low = BinaryPrimitives.ReadUInt32LittleEndian(bytes) ^ crc;
            uint high = BinaryPrimitives.ReadUInt32LittleEndian(bytes[4..]);
            crc = tables[(7 << 8) | (byte)low]
                ^ tables[(6 << 8) | (byte)(low >> 8)]
                ^ tables[(5 << 8) | (byte)(low >> 16)]
                ^ tables[(4 << 8) | (byte)(low >> 24)]
                ^ tables[(3 << 8) | (byte)high]
                ^ tables[(2 << 8) | (byte)(high >> 8)]
                ^ tables[(1 << 8) | (byte)(high >> 16)]
                ^ tables[(byte)(high >> 24)];
        }

        foreach (byte one in bytes)
        {
            crc = tables[(byte)(crc ^ one)] ^ (crc >> 8);
        }

        return ~crc;
    }

    private static uint[] CreateTables()
    {
        uint[] tables = new uint[8 << 8];
        for (uint value = 0; value < 256; value++)
        {
            uint crc = value;
            for (int bit = 0; bit < 8; bit++)
            {
                crc = (crc >> 1) ^ ((crc & 1) * ReflectedPolynomial);
            }

            tables[value] = crc;
        }

        for (int i = 256; i < tables.Length; i++)
        {
            uint previous = tables[i - 256];
            tables[i] = tables[(byte)previous] ^ (previous >> 8);
        }

        return tables;
    }
}
