using System.Globalization;
using Picollo.AspNetCore.Page;

namespace Picollo.AspNetCore.Tests.Page;

/// <summary>Tests the number formats of the page.</summary>
public class NumbersTests
{
    [Theory]
    [InlineData(0, "0")]
    [InlineData(0.000712, "0.000712")]
    [InlineData(-0.000712, "-0.000712")]
    [InlineData(0.00099999, "0.001")]
    [InlineData(0.0000001234, "0.000000123")]
    [InlineData(1e-12, "0.000000000001")]
    [InlineData(1e-13, "0")]
    [InlineData(double.Epsilon, "0")]
    [InlineData(0.00123, "0.001")]
    [InlineData(9.994, "9.99")]
    [InlineData(1234.5, "1,234")]
    public void A_number_has_about_three_digits_and_no_exponent_in_any_culture(double value, string expected)
    {
        CultureInfo.CurrentCulture = Cultures.German;
        Numbers.Short(value).Should().Be(expected);
    }

    [Theory]
    [InlineData(0, "0 s")]
    [InlineData(1e-9, "0.001 µs")]
    [InlineData(7.12e-4, "712 µs")]
    [InlineData(0.001, "1.00 ms")]
    [InlineData(0.0123, "12.3 ms")]
    [InlineData(1, "1.00 s")]
    [InlineData(7200, "7,200 s")]
    public void A_time_is_shown_in_a_suitable_unit(double seconds, string expected)
    {
        CultureInfo.CurrentCulture = Cultures.German;
        Numbers.Time(seconds).Should().Be(expected);
    }
}
