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
    public void Lists_and_masks_are_parsed(string text, int[] cpus) => CpuList.Parse(text).Should().Equal(cpus);

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
    public void Invalid_lists_are_rejected(string text) => CpuList.Parse(text).Should().BeNull();

    [Fact]
    public void A_mask_supports_the_maximum_number_of_CPUs()
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
    public void The_description_has_a_list_a_count_and_a_mask(string text, string described) => CpuList.Describe(CpuList.Parse(text)!).Should().Be(described);

    [Fact]
    public void Formatted_lists_can_be_parsed() => Seeded.Run(200, random =>
    {
        int[] cpus = [.. Enumerable.Range(0, random.Next(1, 40)).Select(_ => random.Next(random.Next(1, 300))).Distinct().Order()];

        CpuList.Parse(CpuList.Format(cpus)).Should().Equal(cpus);
        CpuList.Parse(CpuList.Mask(cpus)).Should().Equal(cpus);
    });
}
