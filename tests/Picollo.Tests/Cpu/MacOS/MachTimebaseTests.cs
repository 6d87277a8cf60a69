using Picollo.Interop.MacOS;

namespace Picollo.Tests.Cpu.MacOS;

public class MachTimebaseTests
{
    private static readonly MachTimebase Intel = new() { Numerator = 1, Denominator = 1 };
    private static readonly MachTimebase AppleSilicon = new() { Numerator = 125, Denominator = 3 };

    [Fact]
    public void Units_are_nanoseconds_on_Intel() => Intel.ToNanoseconds(1_234_567_891).Should().Be(1_234_567_891);

    [Theory]
    [InlineData(0, 0)]
    [InlineData(1, 41)]
    [InlineData(24_000_000, 1_000_000_000)]
    [InlineData(24_000_000UL * 86_400 * 365, 86_400L * 365 * 1_000_000_000)]
    public void Units_are_ticks_of_24_MHz_on_Apple_silicon(ulong units, long nanoseconds) =>
        AppleSilicon.ToNanoseconds(units).Should().Be(nanoseconds);

    [Fact]
    public void Under_Rosetta_2_units_are_always_those_of_Apple_silicon()
    {
        MachTimebase.OfProcessTimes(Intel, isTranslated: true).Should().Be(AppleSilicon);
        MachTimebase.OfProcessTimes(Intel, isTranslated: false).Should().Be(Intel);
        MachTimebase.OfProcessTimes(AppleSilicon, isTranslated: false).Should().Be(AppleSilicon);
    }

    [Fact]
    public void Values_that_do_not_fit_are_clamped()
    {
        AppleSilicon.ToNanoseconds(ulong.MaxValue).Should().Be(long.MaxValue);
        Intel.ToNanoseconds(ulong.MaxValue).Should().Be(long.MaxValue);
        Intel.ToNanoseconds(long.MaxValue).Should().Be(long.MaxValue);
    }

    [Fact]
    public void The_default_timebase_gives_0() => default(MachTimebase).ToNanoseconds(5).Should().Be(0);
}
