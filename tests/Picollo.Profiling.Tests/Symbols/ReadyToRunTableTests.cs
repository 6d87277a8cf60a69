using System.Reflection.PortableExecutable;
using Picollo.Profiling.Symbols.ReadyToRun;

namespace Picollo.Profiling.Tests.Symbols;

public class ReadyToRunTableTests
{
    // Code for Linux has a different machine number.
    private const Machine LinuxAmd64 = (Machine)((int)Machine.Amd64 ^ 0x7B79);
    private const Machine LinuxArm64 = (Machine)((int)Machine.Arm64 ^ 0x7B79);

    [Theory]
    [InlineData(12, 0x18)]
    [InlineData(1000, 0xA1, 0x0F)]
    [InlineData(0x1F_FFFF, 0xFB, 0xFF, 0xFF)]
    [InlineData(0x0FFF_FFFF, 0xF7, 0xFF, 0xFF, 0xFF)]
    [InlineData(uint.MaxValue, 0x0F, 0xFF, 0xFF, 0xFF, 0xFF)]
    public void Unsigned_numbers_take_one_to_five_bytes(uint expected, params int[] bytes) =>
        new NativeData([.. bytes.Select(value => (byte)value)]).ReadUnsigned().Should().Be(expected);

    [Theory]
    [InlineData(-1, 0xFE)]
    [InlineData(63, 0x7E)]
    [InlineData(-64, 0x80)]
    [InlineData(-65, 0xFD, 0xFE)]
    [InlineData(int.MinValue, 0x0F, 0, 0, 0, 0x80)]
    public void Signed_numbers_take_one_to_five_bytes(int expected, params int[] bytes) =>
        new NativeData([.. bytes.Select(value => (byte)value)]).ReadSigned().Should().Be(expected);

    [Theory]
    [InlineData(0x7F, 0x7F)]
    [InlineData(0x3FFF, 0xBF, 0xFF)]
    [InlineData(0x1FFF_FFFF, 0xDF, 0xFF, 0xFF, 0xFF)]
    public void Compressed_numbers_take_one_to_four_bytes(uint expected, params int[] bytes) =>
        new NativeData([.. bytes.Select(value => (byte)value)]).ReadCompressed().Should().Be(expected);

    [Theory]
    [InlineData(0x1F)]
    [InlineData(0x01)]
    public void Incomplete_and_invalid_numbers_are_rejected(byte first)
    {
        Action read = () => new NativeData([first]).ReadUnsigned();
        read.Should().Throw<BadImageFormatException>();
    }

    [Fact]
    public void Functions_for_x64_have_ends()
    {
        var functions = new RuntimeFunctions(Numbers(0x10, 0x18, 0, 0x20, 0x30, 0), [], LinuxAmd64, uint.MaxValue);

        IndexesOf(functions, 0x0F, 0x10, 0x17, 0x18, 0x20, 0x2F, 0x30).Should().Equal(-1, 0, 0, -1, 1, 1, -1);
    }

    [Fact]
    public void Functions_for_arm64_extend_to_the_next_one_and_to_the_thunks()
    {
        var functions = new RuntimeFunctions(Numbers(0x10, 0, 0x20, 0), [], LinuxArm64, thunks: 0x40);

        IndexesOf(functions, 0x0F, 0x10, 0x1F, 0x20, 0x3F, 0x40).Should().Equal(-1, 0, 0, 1, 1, -1);
    }

    [Fact]
    public void Cold_code_belongs_to_the_entry_point_of_its_method()
    {
        // Functions 3 and 4 are the cold code of 0; 5 is that of 2.
        var functions = new RuntimeFunctions(
            Numbers(0x10, 0, 0x20, 0, 0x30, 0, 0x40, 0, 0x50, 0, 0x60, 0), Numbers(3, 0, 5, 2), LinuxArm64, uint.MaxValue);

        IndexesOf(functions, 0x10, 0x20, 0x30, 0x40, 0x50, 0x60).Should().Equal(0, 1, 2, 0, 0, 2);
    }

    private static byte[] Numbers(params uint[] numbers) => [.. numbers.SelectMany(BitConverter.GetBytes)];

    private static IEnumerable<int> IndexesOf(RuntimeFunctions functions, params uint[] addresses) => addresses.Select(functions.IndexOf);
}
