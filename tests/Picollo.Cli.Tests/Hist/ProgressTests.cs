using Picollo.Cli.Hist;

namespace Picollo.Cli.Tests.Hist;

public class ProgressTests
{
    [Theory]
    [InlineData(0, 1_000_000_000L, "  0 % [                              ] of 954 MiB")]
    [InlineData(500_000_000, 1_000_000_000L, " 50 % [###############               ] of 954 MiB")]
    [InlineData(2_000_000_000, 1_000_000_000L, "100 % [##############################] of 954 MiB")] // the file grew
    [InlineData(12_345_678, null, "11.8 MiB")]
    [InlineData(12_345_678, 0L, "11.8 MiB")] // files in /proc have no length
    public void Progress_shows_the_percentage_or_else_the_number_of_bytes(long taken, long? total, string text) => Progress.TextOf(taken, total).Should().Be(text);
}
