using System.Globalization;
using System.Text;
using FsCheck;
using FsCheck.Fluent;
using Picollo.Cli.Hist;

namespace Picollo.Cli.Tests.Hist;

public class NumberTextTests
{
    [Fact]
    public void Whole_numbers_are_exact()
    {
        foreach ((string text, ulong number) in ((string, ulong)[])
        [
            ("0", 0), ("-0", 0), ("-0.000", 0), ("1e-400", 0), ("+5", 5), (" \t7 \r", 7), ("007", 7), ("1e3", 1000), ("1.5E+1", 15),
            ("120e-1", 12), ("5.", 5),
            ("5.000000000000000000000000000000000000", 5), ("9999999999999999999", 9_999_999_999_999_999_999),
            (new string('0', 5000) + "17", 17),
            ("18446744073709551615", ulong.MaxValue), ("18446744073709551615.0", ulong.MaxValue),
            ("000000000018446744073709551615", ulong.MaxValue),
        ])
        {
            (Parse(text).Kind, Parse(text).Whole).Should().Be((NumberKind.Whole, number), text);
        }
    }

    [Theory]
    [InlineData("0.5", 0.5)]
    [InlineData(".5", 0.5)]
    [InlineData("+0.0123", 0.0123)]
    [InlineData("5e-1", 0.5)]
    [InlineData("0.1000000000000000055511151231257827021181583404541015625", 0.1)]
    public void Fractions_are_parsed_to_the_nearest_double(string text, double number) =>
        Parse(text).Should().Be((NumberKind.Fraction, 0UL, number));

    [Theory]
    [InlineData("NotANumber", "", " ", "-", ".", "e5", "5e", "5e+", "5 6", "1,5", "0x10", "5ms", "+-5", "NaN", "Infinity", "١٢")]
    [InlineData("Negative", "-1", "-0.5", "-1e-3")]
    [InlineData("TooLarge", "18446744073709551616", "18446744073709551616.0", "1e20", "1e400", "99999999999999999999.5")]
    public void Other_text_has_the_reason(string kind, params string[] texts) =>
        texts.Should().OnlyContain(text => Parse(text).Kind.ToString() == kind);

    [Fact]
    public void Decimals_are_parsed_as_by_the_framework() => Prop.ForAll(
        ArbMap.Default.ArbFor<Tuple<ulong, int, NonNegativeInt>>(),
        drawn =>
        {
            (ulong digits, int places, NonNegativeInt zeros) = drawn;
            string all = digits.ToString(CultureInfo.InvariantCulture);
            int point = Math.Abs(places % (all.Length + 1));
            string text = $"{all[..point]}.{all[point..]}{new string('0', zeros.Item % 30)}";
            if (text == ".")
            {
                return;
            }

            (NumberKind kind, ulong whole, double fraction) = Parse(text);

            double expected = double.Parse(text, CultureInfo.InvariantCulture);
            if (expected >= Math.ScaleB(1, 64))
            {
                (kind is NumberKind.TooLarge || (kind == NumberKind.Whole && whole > ulong.MaxValue - 2048)).Should().BeTrue(text);
            }
            else
            {
                (kind == NumberKind.Whole ? (double)whole : fraction).Should().Be(expected, text);
                (kind == NumberKind.Whole).Should().Be(expected == Math.Floor(expected), text);
            }
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(2_000).WithEndSize(200));

    private static (NumberKind Kind, ulong Whole, double Fraction) Parse(string text)
    {
        NumberKind kind = NumberText.Parse(Encoding.UTF8.GetBytes(text), out ulong whole, out double fraction);
        return (kind, whole, fraction);
    }
}
