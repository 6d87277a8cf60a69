using System.Text;
using Picollo.Cpu.Linux;

namespace Picollo.Tests.Cpu.Linux;

public class TextFieldsTests
{
    [Theory]
    [InlineData("12", 12L)]
    [InlineData("0", 0L)]
    [InlineData("18446744073709551615", long.MaxValue)]
    [InlineData("12x", null)]
    [InlineData("x", null)]
    [InlineData("-1", null)]
    [InlineData("", null)]
    public void A_count_must_fill_its_field(string field, long? expected) =>
        (TextFields.TryParseCount(Encoding.ASCII.GetBytes(field), out long value) ? value : (long?)null).Should().Be(expected);

    [Theory]
    [InlineData("1.50", true)]
    [InlineData("0.00", true)]
    [InlineData("1.5x", false)]
    [InlineData("-0.5", false)]
    [InlineData("", false)]
    public void A_decimal_must_fill_its_field_and_not_be_negative(string field, bool isNumber) =>
        TextFields.TryParseDecimal(Encoding.ASCII.GetBytes(field), out _).Should().Be(isNumber);

    [Fact]
    public void Lines_are_taken_with_their_ends_including_empty_ones()
    {
        ReadOnlySpan<byte> text = "\na b\nrest"u8;

        TextFields.TryTakeLine(ref text, out ReadOnlySpan<byte> line).Should().BeTrue();
        Encoding.ASCII.GetString(line).Should().Be("\n");
        TextFields.TryTakeLine(ref text, out line).Should().BeTrue();
        Encoding.ASCII.GetString(line).Should().Be("a b\n");
        TextFields.TryTakeLine(ref text, out line).Should().BeFalse("the last line may be truncated");
        line.Length.Should().Be(0);
        text.Length.Should().Be(0);
    }
}
