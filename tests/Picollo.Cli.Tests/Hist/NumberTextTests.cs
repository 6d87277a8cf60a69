using System.Globalization;
using System.Numerics;
using System.Text;
using FsCheck;
using FsCheck.Fluent;
using Picollo.Cli.Hist;

namespace Picollo.Cli.Tests.Hist;

public class NumberTextTests
{
    [Theory]
    [InlineData("0", 0)]
    [InlineData("-0", 0)]
    [InlineData("-0.000", 0)]
    [InlineData("+5", 5)]
    [InlineData(" \t7 \r", 7)]
    [InlineData("007", 7)]
    [InlineData("1e3", 1000)]
    [InlineData("1.5E+1", 15)]
    [InlineData("120e-1", 12)]
    [InlineData("5.", 5)]
    [InlineData("5.000000000000000000000000000000000000", 5)]
    [InlineData("9999999999999999999", 9_999_999_999_999_999_999)]
    [InlineData("18446744073709551615", ulong.MaxValue)]
    [InlineData("18446744073709551615.0", ulong.MaxValue)]
    [InlineData("000000000000000000000000018446744073709551615", ulong.MaxValue)]
    [InlineData("1e-400", 0)]
    public void Whole_numbers_are_exact(string text, ulong number) => (Parse(text).Kind, Parse(text).Whole).Should().Be((NumberKind.Whole, number));

    [Theory]
    [InlineData("0.5", 0.5)]
    [InlineData(".5", 0.5)]
    [InlineData("+0.0123", 0.0123)]
    [InlineData("5e-1", 0.5)]
    [InlineData("123456789.123456789", 123456789.123456789)]
    [InlineData("0.1000000000000000055511151231257827021181583404541015625", 0.1)]
    [InlineData("9007199254740993.5", 9007199254740993.5)] // whole as a double
    public void Fractions_are_parsed_to_the_nearest_double(string text, double number)
    {
        (NumberKind kind, ulong whole, double fraction) = Parse(text);

        (kind == NumberKind.Whole ? whole : fraction).Should().Be(number);
        kind.Should().Be(number == Math.Floor(number) ? NumberKind.Whole : NumberKind.Fraction);
    }

    [Fact]
    public void Numbers_with_thousands_of_digits_are_parsed()
    {
        Parse(new string('0', 5000) + "17").Should().Be((NumberKind.Whole, 17UL, 0d));
        Parse("0." + new string('3', 5000)).Should().Be((NumberKind.Fraction, 0UL, 1 / 3d));
        Parse(new string('3', 5000)).Kind.Should().Be(NumberKind.TooLarge);
    }

    [Theory]
    [InlineData("")]
    [InlineData(" ")]
    [InlineData("-")]
    [InlineData(".")]
    [InlineData("e5")]
    [InlineData("5e")]
    [InlineData("5e+")]
    [InlineData("5 6")]
    [InlineData("1,5")]
    [InlineData("0x10")]
    [InlineData("5ms")]
    [InlineData("+-5")]
    [InlineData("NaN")]
    [InlineData("Infinity")]
    [InlineData("١٢")]
    public void Other_text_is_not_a_number(string text) => Parse(text).Kind.Should().Be(NumberKind.NotANumber);

    [Theory]
    [InlineData("-1")]
    [InlineData("-0.5")]
    [InlineData("-1e-3")]
    public void Numbers_below_0_are_recognized_as_negative(string text) => Parse(text).Kind.Should().Be(NumberKind.Negative);

    [Theory]
    [InlineData("18446744073709551616")]
    [InlineData("18446744073709551616.0")]
    [InlineData("1e20")]
    [InlineData("1e400")]
    [InlineData("99999999999999999999.5")]
    public void Numbers_of_2_to_the_64th_and_more_are_too_large(string text) => Parse(text).Kind.Should().Be(NumberKind.TooLarge);

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

    [Fact]
    public void Whole_numbers_are_parsed_exactly_in_any_notation() => Seeded.Run(2_000, random =>
    {
        ulong number = (ulong)random.NextInt64() >> random.Next(64);
        string digits = number.ToString(CultureInfo.InvariantCulture);
        string zeros = new('0', random.Next(4));
        string[] ways = [digits, $"+{digits}", zeros + digits, $"{digits}.", $"{digits}.{zeros}", $" {digits}\r"];

        ways.Should().OnlyContain(way => Parse(way).Kind == NumberKind.Whole && Parse(way).Whole == number);
        BigInteger.Parse(digits, CultureInfo.InvariantCulture).Should().Be(number);
    });

    private static (NumberKind Kind, ulong Whole, double Fraction) Parse(string text)
    {
        NumberKind kind = NumberText.Parse(Encoding.UTF8.GetBytes(text), out ulong whole, out double fraction);
        return (kind, whole, fraction);
    }
}
