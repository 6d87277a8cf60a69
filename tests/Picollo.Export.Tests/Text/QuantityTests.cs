using Picollo.Export.Text;

namespace Picollo.Export.Tests.Text;

public class QuantityTests
{
    private const NumberStyles Style = NumberStyles.Float | NumberStyles.AllowThousands;

    public QuantityTests() => CultureInfo.CurrentCulture = Cultures.German;

    [Theory]
    [InlineData(0, "0"), InlineData(double.Epsilon, "0"), InlineData(-1e-13, "0"), InlineData(1e-12, "0.000000000001")]
    [InlineData(0.0000001234, "0.000000123"), InlineData(-0.000712, "-0.000712"), InlineData(0.00099999, "0.00100")]
    [InlineData(0.0123, "0.0123"), InlineData(0.4, "0.400"), InlineData(7, "7.00"), InlineData(9.994, "9.99"), InlineData(9.996, "10.0")]
    [InlineData(99.96, "100"), InlineData(1234.5, "1,234"), InlineData(999_999_999_999, "999,999,999,999")]
    [InlineData(1.234e15, "1.23E+15"), InlineData(double.NaN, "NaN")]
    public void A_number_has_three_significant_digits(double value, string text) => Quantity.Number(value).Should().Be(text);

    [Theory]
    [InlineData(0, "0"), InlineData(0.4, "0.400"), InlineData(7, "7"), InlineData(75.6, "75.6"), InlineData(999, "999")]
    [InlineData(999.6, "1.00k"), InlineData(-12_345, "-12.3k"), InlineData(1_234_567, "1.23M")]
    [InlineData(18_446_744_073_709_551_615, "18.4E"), InlineData(1e33, "1E+15E")]
    public void A_short_number_has_a_suffix(double value, string text) => Quantity.Short(value).Should().Be(text);

    [Theory]
    [InlineData(0, "0 B"), InlineData(1023, "1,023 B"), InlineData(1024, "1.00 KiB"), InlineData(1_004 * 1024, "1,004 KiB")]
    [InlineData(1_663_000, "1.59 MiB"), InlineData(12_884_901_888, "12.0 GiB"), InlineData(1.8446744073709552e19, "16.0 EiB")]
    public void Bytes_are_in_binary_units(double bytes, string text) => Quantity.Bytes(bytes).Should().Be(text);

    [Theory]
    [InlineData(0, "0 s"), InlineData(0.5, "0.500 ns"), InlineData(999, "999 ns"), InlineData(1_500, "1.50 µs")]
    [InlineData(12_345_678, "12.3 ms"), InlineData(999_600_000, "1.00 s"), InlineData(7_200e9, "7,200 s")]
    public void A_time_is_in_a_suitable_unit(double nanoseconds, string text) => Quantity.Time(nanoseconds).Should().Be(text);

    [Theory]
    [InlineData(0, "0.0 %"), InlineData(0.00001, "0.00 %"), InlineData(0.0045, "0.45 %"), InlineData(0.00996, "1.0 %")]
    [InlineData(0.0345, "3.5 %"), InlineData(0.5, "50.0 %"), InlineData(-0.123, "-12.3 %"), InlineData(12.345, "1,234.5 %")]
    [InlineData(1e20, "1E+22 %")]
    public void A_share_has_one_decimal_or_two_below_one_percent(double share, string text) => Quantity.Percent(share).Should().Be(text);

    [Theory]
    [InlineData(0, "0.0 %"), InlineData(-0.0001, "0.0 %"), InlineData(0.1234, "+12.3 %"), InlineData(-0.5, "-50.0 %")]
    [InlineData(12.345, "+1,234.5 %"), InlineData(-1e20, "-1E+22 %")]
    public void A_change_has_a_sign_unless_it_is_zero(double share, string text) => Quantity.Change(share).Should().Be(text);

    [Theory]
    [InlineData(0, "0 s"), InlineData(59, "59 s"), InlineData(60, "1 min"), InlineData(61, "1 min 1 s"), InlineData(3 * 3600, "3 h")]
    [InlineData((3 * 3600) + (12 * 60) + 5, "3 h 12 min"), InlineData(1234 * 86400, "1,234 d")]
    public void A_duration_is_shown_in_its_two_largest_units(int seconds, string text) =>
        Quantity.Duration(TimeSpan.FromSeconds(seconds)).Should().Be(text);

    [Fact]
    public void Counts_have_all_digits()
    {
        Quantity.Count(ulong.MaxValue).Should().Be("18,446,744,073,709,551,615");
        Quantity.Count(-1234L).Should().Be("-1,234");
    }

    [Theory]
    [InlineData(3)]
    [InlineData(4)]
    public void Texts_are_the_values_within_their_precision(int digits)
    {
        Random random = new(65);
        for (int i = 0; i < 20_000; i++)
        {
            double value = (random.Next(2) == 0 ? -1 : 1) * Math.Pow(10, (random.NextDouble() * 25) - 6);
            double error = Math.Max(Math.Abs(value) * 5.001 * Math.Pow(10, -digits), 5e-13);

            if (Math.Abs(value) < 1e12)
            {
                Parse(Quantity.Number(value, digits), "").Should().BeApproximately(value, error);
            }

            Parse(Quantity.Short(value, digits), "kMGTPE").Should().BeApproximately(value, error);
            Parse(Quantity.Time(value, digits).Replace(" ns", "").Replace(" µs", "k").Replace(" ms", "M").Replace(" s", "G"), "kMG")
                .Should().BeApproximately(value, Math.Max(error, Math.Abs(value) < 1e21 ? 0 : Math.Abs(value) * 0.005));
            Parse(Quantity.Bytes(value, digits).Replace("iB", "").Replace("B", "").Replace(" ", ""), "KMGTPE", 1024)
                .Should().BeApproximately(value, error);
            foreach (string percent in (string[])[Quantity.Change(value), Quantity.Percent(value)])
            {
                Parse(percent.Replace(" %", ""), "").Should().BeApproximately(100 * value, Math.Max(0.0501, Math.Abs(value) * 0.5));
            }
        }
    }

    private static double Parse(string text, string suffixes, double step = 1000)
    {
        int suffix = text.Length == 0 ? -1 : suffixes.IndexOf(text[^1]);
        string number = suffix < 0 ? text : text[..^1];
        return double.Parse(number, Style, CultureInfo.InvariantCulture) * Math.Pow(step, suffix + 1);
    }
}
