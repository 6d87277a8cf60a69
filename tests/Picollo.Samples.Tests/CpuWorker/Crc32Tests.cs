using Picollo.Samples.CpuWorker.Serving;

namespace Picollo.Samples.Tests.CpuWorker;

public sealed class Crc32Tests
{
    [Fact]
    public void Each_length_and_each_split_gives_the_reference_checksum()
    {
        Crc32.Append(0, "123456789"u8).Should().Be(0xCBF43926, "that is the check value of the polynomial");
        byte[] bytes = new byte[40];
        new Random(1).NextBytes(bytes);
        for (int length = 0; length <= bytes.Length; length++)
        {
            uint expected = BitByBit(bytes.AsSpan(0, length));
            for (int split = 0; split <= length; split++)
            {
                uint head = Crc32.Append(0, bytes.AsSpan(0, split));
                Crc32.Append(head, bytes.AsSpan(split, length - split)).Should().Be(expected);
            }
        }
    }

    /// <summary>A slow and simple reference implementation.</summary>
    internal static uint BitByBit(ReadOnlySpan<byte> bytes)
    {
        uint crc = uint.MaxValue;
        foreach (byte one in bytes)
        {
            crc ^= one;
            for (int bit = 0; bit < 8; bit++)
            {
                crc = (crc & 1) != 0 ? (crc >> 1) ^ 0xEDB88320 : crc >> 1;
            }
        }

        return ~crc;
    }
}
