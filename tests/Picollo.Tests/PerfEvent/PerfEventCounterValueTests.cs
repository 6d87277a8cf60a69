using FsCheck;
using FsCheck.Fluent;
using Picollo.PerfEvent;

namespace Picollo.Tests.PerfEvent;

public sealed class PerfEventCounterValueTests
{
    /// <summary>The values of the test in the original project.</summary>
    [Fact]
    public void A_value_is_scaled_by_its_times()
    {
        Value(100, 100, 50).ScaledValue.Should().Be(200);
        Value(20, 100, 80).ScaledValue.Should().Be(25);
        (Value(100, 100, 50) - Value(40, 10, 5)).ScaledValue.Should().Be(120);
        (Value(20, 100, 80) - Value(5, 20, 10)).ScaledValue.Should().Be(15 * 80 / 70);
    }

    [Fact]
    public void Addition_is_the_inverse_of_subtraction() => Check.QuickThrowOnFailure(Prop.ForAll<uint, uint, uint>((a, b, c) =>
    {
        PerfEventCounterValue small = Value(a, b, c), other = Value(c, a, b);
        return small + other - other == small && small + other == other + small;
    }));

    [Fact]
    public void A_difference_stops_at_zero() => (Value(1, 2, 3) - Value(2, 3, 4)).Should().Be(default(PerfEventCounterValue));

    [Fact]
    public unsafe void A_counter_has_the_capabilities_of_its_page()
    {
        using var page = new SimulatedPage();
        PerfEventFile.CapabilitiesOf(null).Should().Be((PerfPageCapabilities)0);
        PerfEventFile.CapabilitiesOf(page.Address).Should().Be((PerfPageCapabilities)0);
        page.OffersCounter = true;
        PerfEventFile.CapabilitiesOf(page.Address).Should().Be(PerfPageCapabilities.UserRdpmc);
        page.OffersTime = true;
        PerfEventFile.CapabilitiesOf(page.Address).Should().Be(PerfPageCapabilities.UserRdpmc | PerfPageCapabilities.UserTime);

        var counter = new PerfEventCounter("counter", default);
        counter.Join(PerfPageCapabilities.UserTime);
        (counter.HasUserRdpmc, counter.HasUserTime).Should().Be((false, true));
        counter.Join(PerfPageCapabilities.UserRdpmc);
        (counter.HasUserRdpmc, counter.HasUserTime).Should().Be((true, false));
    }

    private static PerfEventCounterValue Value(ulong value, ulong enabled, ulong running) =>
        new() { Value = value, TimeEnabled = enabled, TimeRunning = running };
}
