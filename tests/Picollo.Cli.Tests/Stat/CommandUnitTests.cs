using Picollo.Cli.Stat;

namespace Picollo.Cli.Tests.Stat;

public class CommandUnitTests
{
    [Theory]
    [InlineData(0, nameof(CommandUnit.Count), "0", "0")]
    [InlineData(75.6, nameof(CommandUnit.Count), "75.60", "75.6")]
    [InlineData(1_234_567, nameof(CommandUnit.Count), "1.235M", "1.23M")]
    [InlineData(999_960, nameof(CommandUnit.Count), "1.000M", "1.00M")]
    [InlineData(12_345_678, nameof(CommandUnit.Nanoseconds), "12.35 ms", "12.3 ms")]
    [InlineData(1_663_000, nameof(CommandUnit.Bytes), "1.586 MiB", "1.59 MiB")]
    public void Numbers_have_four_or_three_digits(double value, string unitName, string four, string three)
    {
        CommandUnit unit = Enum.Parse<CommandUnit>(unitName); // internal, so it cannot be a parameter of a public method

        unit.Short(value).Should().Be(four);
        unit.Short(value, 3).Should().Be(three);
    }

    [Fact]
    public void Full_counts_have_all_digits()
    {
        CommandUnit.Count.Full(ulong.MaxValue).Should().Be("18,446,744,073,709,551,615");
        CommandUnit.Nanoseconds.Full(1_500_000).Should().Be("1.500 ms");
    }
}
