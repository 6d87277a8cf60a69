using Picollo.Cli.Jitter;

namespace Picollo.Cli.Tests.Jitter;

public class CpuListTests
{
    [Fact]
    public void Lists_and_masks_are_parsed()
    {
        foreach ((string text, int[] cpus) in ((string, int[])[])
        [
            ("0", [0]), ("0-3,8", [0, 1, 2, 3, 8]), ("8,0-1,1", [0, 1, 8]), ("8191", [8191]), ("0x1", [0]), ("0X10f", [0, 1, 2, 3, 8]),
            ("0x8000000000000000000000", [87]), ("0x8" + new string('0', 2047), [8191]),
        ])
        {
            CpuList.Parse(text).Should().Equal(cpus, text);
        }

        string[] invalid = ["", "x", "-1", "1-", "3-1", "1-2-3", "1,,2", " 1", "8192", "99999999999999999999", "0x", "0x0", "0xg", "0x1" + new string('0', 2048)];
        invalid.Should().OnlyContain(text => CpuList.Parse(text) == null);
    }

    [Fact]
    public void The_description_has_a_list_a_count_and_a_mask() =>
        ((string[])["0", "1,0", "0-15", "0,2-3,8", "100"]).Select(text => CpuList.Describe(CpuList.Parse(text)!))
        .Should().Equal("0 = 1 [0x1]", "0-1 = 2 [0x3]", "0-15 = 16 [0xFFFF]", "0,2-3,8 = 4 [0x10D]", "100 = 1 [0x10000000000000000000000000]");

    [Fact]
    public void Formatted_lists_can_be_parsed() => Seeded.Run(200, random =>
    {
        int[] cpus = [.. Enumerable.Range(0, random.Next(1, 40)).Select(_ => random.Next(random.Next(1, 300))).Distinct().Order()];

        CpuList.Parse(CpuList.Format(cpus)).Should().Equal(cpus);
        CpuList.Parse(CpuList.Mask(cpus)).Should().Equal(cpus);
    });
}
