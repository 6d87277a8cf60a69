using System.Runtime.CompilerServices;
using Picollo.Interop.Windows;

namespace Picollo.Tests.Cpu.Windows;

public class FileTimeTests
{
    [Theory]
    [InlineData(0, 0, 0)]
    [InlineData(1, 0, 100)]
    [InlineData(uint.MaxValue, 0, 429_496_729_500)]
    [InlineData(0, 1, 429_496_729_600)]
    [InlineData(156_250, 0, 15_625_000)]
    [InlineData(uint.MaxValue, int.MaxValue, long.MaxValue)]
    [InlineData(uint.MaxValue, uint.MaxValue, long.MaxValue)]
    public void Two_halves_of_100_ns_units_are_converted_to_nanoseconds(uint low, uint high, long nanoseconds) =>
        new FileTime { Low = low, High = high }.Nanoseconds.Should().Be(nanoseconds);

    [Fact]
    public void A_file_time_has_the_size_and_alignment_of_two_uints()
    {
        Unsafe.SizeOf<FileTime>().Should().Be(8);
        Unsafe.SizeOf<AfterAnInt>().Should().Be(12, "its alignment is four bytes");
    }

    private struct AfterAnInt(int first, FileTime time)
    {
        public int First = first;
        public FileTime Time = time;
    }
}
