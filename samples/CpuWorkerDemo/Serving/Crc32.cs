using System.Buffers.Binary;
using System.Runtime.CompilerServices;

namespace Picollo.Samples.CpuWorker.Serving;

/// <summary>The checksum of Ethernet, zip and PNG (polynomial 0x04C11DB7, reflected), eight bytes at a step: enough work for a demo,
/// on every processor the same.</summary>
public static class Crc32
{
    private const uint ReflectedPolynomial = 0xEDB88320;

    // Table k: what a byte does to the checksum k bytes later.
    private static readonly uint[] Tables = CreateTables();

    /// <summary>The checksum of what came before and these bytes.</summary>
    /// <param name="crc">Of what came before; 0 at the start.</param>
    /// <param name="bytes">What comes now.</param>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)] // Calibrated right after the start: it is to have its final speed by then.
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
