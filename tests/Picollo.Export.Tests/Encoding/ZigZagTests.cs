namespace Picollo.Export.Tests;

public class ZigZagTests
{
    // The bytes are those of ZigZagEncoding in the HdrHistogram libraries.
    [Theory]
    [InlineData(0, "00"), InlineData(-1, "01"), InlineData(1, "02"), InlineData(-64, "7F"), InlineData(63, "7E"), InlineData(64, "8001")]
    [InlineData(8191, "FE7F"), InlineData(8192, "808001"), InlineData(long.MaxValue, "FEFFFFFFFFFFFFFFFF")]
    [InlineData(long.MinValue, "FFFFFFFFFFFFFFFFFF")]
    public void Numbers_have_the_bytes_of_the_HdrHistogram_libraries(long number, string bytes)
    {
        byte[] target = new byte[ZigZag.MaxLength];
        int length = ZigZag.Write(target, number);
        Convert.ToHexString(target.AsSpan(0, length)).Should().Be(bytes);
        ZigZag.Read(target, out long read).Should().Be(length);
        read.Should().Be(number);
    }
}
