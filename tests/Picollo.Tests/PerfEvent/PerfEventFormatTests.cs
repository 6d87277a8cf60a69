using Picollo.PerfEvent;

namespace Picollo.Tests.PerfEvent;

public sealed class PerfEventFormatTests
{
    [Theory]
    [InlineData("config:0-7", 0x3c, 0x3c, 0, 0)]
    [InlineData("config:0-7,32-35", 0xabc, 0xa000000bcul, 0, 0)] // the event field of AMD
    [InlineData("config:23", 1, 0x800000, 0, 0)]
    [InlineData("config1:0-15\n", 0x1f, 0, 0x1f, 0)]
    [InlineData("config2:0-63", ulong.MaxValue, 0, 0, ulong.MaxValue)]
    [InlineData("config:0-63", ulong.MaxValue, ulong.MaxValue, 0, 0)]
    public void Bits_are_placed_as_the_format_defines(string format, ulong value, ulong config, ulong config1, ulong config2)
    {
        var definition = new PerfEventDefinition(PerfTypeId.Raw, 0);
        PerfEventFormat.Parse(format)!.TrySet(ref definition, value).Should().BeTrue();
        definition.Should().Be(new PerfEventDefinition(PerfTypeId.Raw, config, config1, config2));
    }

    [Theory]
    [InlineData("config:0-7", 0x100)]
    [InlineData("config:23", 2)]
    [InlineData("config:0-7,32-35", 0x1000)]
    public void A_value_that_does_not_fit_is_rejected(string format, ulong value)
    {
        var definition = new PerfEventDefinition(PerfTypeId.Raw, 0);
        PerfEventFormat.Parse(format)!.TrySet(ref definition, value).Should().BeFalse();
    }

    [Fact]
    public void A_field_replaces_only_its_own_bits()
    {
        var definition = new PerfEventDefinition(PerfTypeId.Raw, 0xffff);
        PerfEventFormat.Parse("config:4-7")!.TrySet(ref definition, 0x2).Should().BeTrue();
        definition.Config.Should().Be(0xff2f);
    }

    [Theory]
    [InlineData("")]
    [InlineData("config")]
    [InlineData("config9:0-7")]
    [InlineData("config:7-0")]
    [InlineData("config:0-64")]
    [InlineData("config:0-1-2")]
    [InlineData("config:a")]
    [InlineData("config:-1")]
    [InlineData("config:0-7:1")]
    public void Other_forms_are_rejected(string format) => PerfEventFormat.Parse(format).Should().BeNull();

    [Fact]
    public void Terms_are_names_with_an_optional_number()
    {
        PerfEventTerm.ParseList("event=0x2e, umask=41,any").Should().Equal(
            new PerfEventTerm("event", 0x2e), new PerfEventTerm("umask", 41), new PerfEventTerm("any", null));
    }

    [Theory]
    [InlineData("")]
    [InlineData("event=")]
    [InlineData("event=1,,umask=2")]
    [InlineData("event=0x")]
    [InlineData("event=0x10000000000000000")]
    [InlineData("../../etc=1")]
    public void Invalid_terms_are_rejected(string terms) =>
        FluentActions.Invoking(() => PerfEventTerm.ParseList(terms)).Should().Throw<FormatException>();
}
