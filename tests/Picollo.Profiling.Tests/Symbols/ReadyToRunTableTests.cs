using System.Reflection.PortableExecutable;
using Picollo.Profiling.Symbols.ReadyToRun;

namespace Picollo.Profiling.Tests.Symbols;

public class ReadyToRunTableTests
{
    // Code for Linux has a different machine number.
    private const Machine LinuxAmd64 = (Machine)((int)Machine.Amd64 ^ 0x7B79);
    private const Machine LinuxArm64 = (Machine)((int)Machine.Arm64 ^ 0x7B79);

    [Fact]
    public void Numbers_take_one_to_five_bytes()
    {
        foreach ((uint expected, byte[] bytes) in new (uint, byte[])[]
        {
            (12, [0x18]), (1000, [0xA1, 0x0F]), (0x1F_FFFF, [0xFB, 0xFF, 0xFF]), (0x0FFF_FFFF, [0xF7, 0xFF, 0xFF, 0xFF]),
            (uint.MaxValue, [0x0F, 0xFF, 0xFF, 0xFF, 0xFF]),
        })
        {
            new NativeData(bytes).ReadUnsigned().Should().Be(expected);
        }

        foreach ((int expected, byte[] bytes) in new (int, byte[])[]
            { (-1, [0xFE]), (63, [0x7E]), (-64, [0x80]), (-65, [0xFD, 0xFE]), (int.MinValue, [0x0F, 0, 0, 0, 0x80]) })
        {
            new NativeData(bytes).ReadSigned().Should().Be(expected);
        }

        foreach ((uint expected, byte[] bytes) in new (uint, byte[])[] { (0x7F, [0x7F]), (0x3FFF, [0xBF, 0xFF]), (0x1FFF_FFFF, [0xDF, 0xFF, 0xFF, 0xFF]) })
        {
            new NativeData(bytes).ReadCompressed().Should().Be(expected);
        }

        foreach (byte first in (byte[])[0x1F, 0x01])
        {
            FluentActions.Invoking(() => new NativeData([first]).ReadUnsigned())
                .Should().Throw<BadImageFormatException>("it is incomplete or invalid");
        }
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
