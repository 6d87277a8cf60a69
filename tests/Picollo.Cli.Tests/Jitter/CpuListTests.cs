using Picollo.Cli.Jitter;

namespace Picollo.Cli.Tests.Jitter;

public class CpuListTests
{
    [Theory]
    [InlineData("0", new[] { 0 })]
    [InlineData("0-3,8", new[] { 0, 1, 2, 3, 8 })]
    [InlineData("8,0-1,1", new[] { 0, 1, 8 })]
    [InlineData("8191", new[] { 8191 })]
    [InlineData("0x1", new[] { 0 })]
    [InlineData("0X10f", new[] { 0, 1, 2, 3, 8 })]
    [InlineData("0x8000000000000000000000", new[] { 87 })]
    public void Lists_and_masks_are_read(string text, int[] cpus) => CpuList.Parse(text).Should().Equal(cpus);

    [Theory]
    [InlineData("")]
    [InlineData("x")]
    [InlineData("-1")]
    [InlineData("1-")]
    [InlineData("3-1")]
    [InlineData("1-2-3")]
    [InlineData("1,,2")]
    [InlineData(" 1")]
    [InlineData("8192")]
    [InlineData("99999999999999999999")]
    [InlineData("0x")]
    [InlineData("0x0")]
    [InlineData("0xg")]
    public void What_is_neither_is_none(string text) => CpuList.Parse(text).Should().BeNull();

    [Fact]
    public void A_mask_has_a_bit_for_each_cpu_that_a_kernel_can_have()
    {
        CpuList.Parse("0x8" + new string('0', 2047)).Should().Equal(8191);
        CpuList.Parse("0x1" + new string('0', 2048)).Should().BeNull();
    }

    [Theory]
    [InlineData("0", "0 = 1 [0x1]")]
    [InlineData("1,0", "0-1 = 2 [0x3]")]
    [InlineData("0-15", "0-15 = 16 [0xFFFF]")]
    [InlineData("0,2-3,8", "0,2-3,8 = 4 [0x10D]")]
    [InlineData("100", "100 = 1 [0x10000000000000000000000000]")]
    public void The_header_says_them_in_three_ways(string text, string described) => CpuList.Describe(CpuList.Parse(text)!).Should().Be(described);

    [Fact]
    public void What_is_written_is_read() => Seeded.Run(200, random =>
    {
        int[] cpus = [.. Enumerable.Range(0, random.Next(1, 40)).Select(_ => random.Next(random.Next(1, 300))).Distinct().Order()];

        CpuList.Parse(CpuList.Format(cpus)).Should().Equal(cpus);
        CpuList.Parse(CpuList.Mask(cpus)).Should().Equal(cpus);
    });
}
