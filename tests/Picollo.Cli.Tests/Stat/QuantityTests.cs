using Picollo.Cli.Stat;

namespace Picollo.Cli.Tests.Stat;

public class QuantityTests
{
    [Theory]
    [InlineData(0, nameof(CommandUnit.Count), "0", "0")]
    [InlineData(0.4, nameof(CommandUnit.Count), "0.400", "0.40")]
    [InlineData(7, nameof(CommandUnit.Count), "7", "7")]
    [InlineData(75.6, nameof(CommandUnit.Count), "75.60", "75.6")]
    [InlineData(999, nameof(CommandUnit.Count), "999", "999")]
    [InlineData(999.6, nameof(CommandUnit.Count), "1.000 K", "1.00 K")]
    [InlineData(1_234_567, nameof(CommandUnit.Count), "1.235 M", "1.23 M")]
    [InlineData(9_999_600, nameof(CommandUnit.Count), "10.00 M", "10.0 M")]
    [InlineData(999_960, nameof(CommandUnit.Count), "1.000 M", "1.00 M")]
    [InlineData(1.8446744073709552e19, nameof(CommandUnit.Count), "18.45 E", "18.4 E")]
    [InlineData(999, nameof(CommandUnit.Nanoseconds), "999 ns", "999 ns")]
    [InlineData(1_500, nameof(CommandUnit.Nanoseconds), "1.500 µs", "1.50 µs")]
    [InlineData(12_345_678, nameof(CommandUnit.Nanoseconds), "12.35 ms", "12.3 ms")]
    [InlineData(3_600e9, nameof(CommandUnit.Nanoseconds), "3600 s", "3600 s")]
    [InlineData(1_004 * 1024, nameof(CommandUnit.Bytes), "1004 KiB", "1004 KiB")]
    [InlineData(1_663_000, nameof(CommandUnit.Bytes), "1.586 MiB", "1.59 MiB")]
    public void Numbers_have_four_or_three_digits(double value, string unitName, string four, string three)
    {
        CommandUnit unit = Enum.Parse<CommandUnit>(unitName); // internal, so it cannot be a parameter of a public method

        Quantity.Short(value, unit).Should().Be(four);
        Quantity.Short(value, unit, 3).Should().Be(three);
    }

    [Theory]
    [InlineData(0, "0%")]
    [InlineData(0.0345, "3.45%")]
    [InlineData(0.5, "50.0%")]
    [InlineData(0.99951, "100%")]
    [InlineData(2, "200%")]
    [InlineData(0.00001, "0.00%")]
    public void Shares_are_percentages(double share, string text) => Quantity.Percent(share).Should().Be(text);

    [Fact]
    public void Full_counts_have_all_digits()
    {
        Quantity.Full(ulong.MaxValue, CommandUnit.Count).Should().Be("18,446,744,073,709,551,615");
        Quantity.Full(1_500_000, CommandUnit.Nanoseconds).Should().Be("1.500 ms");
    }
}
