using FsCheck;
using FsCheck.Fluent;
using Picollo.PerfEvent;

namespace Picollo.Tests.PerfEvent;

public sealed class PerfMathTests
{
    private const ulong Top = ulong.MaxValue;

    // All magnitudes, so that differences and overheads are often close to each other.
    private static readonly Gen<ulong> Counts =
        from shift in Gen.Choose(0, 63)
        from bits in Gen.Choose(0, int.MaxValue)
        select ((ulong)(uint)bits * 0x2_0000_0001) >> shift;

    [Theory]
    [InlineData(100, 0, 0, 100)] // never enabled: no scaling
    [InlineData(100, 50, 50, 100)]
    [InlineData(100, 200, 50, 400)]
    [InlineData(100, 200, 0, 0)] // enabled, but never on the CPU
    [InlineData(7, 3, 2, 10)] // 10.5, rounded down
    [InlineData(Top, 3, 3, Top)]
    [InlineData(Top, 3, 2, Top)] // does not fit
    [InlineData(Top / 2, Top, Top / 2, Top - 1)] // in 128 bits: 2^63-1 times 2^64-1 over 2^63-1 is 2^64-1, minus the rounding
    public void A_count_is_scaled_by_the_time_enabled_over_the_time_running(ulong raw, ulong enabled, ulong running, ulong scaled) =>
        PerfMath.Scale(raw, enabled, running).Should().BeCloseTo(scaled, scaled == Top - 1 ? 1u : 0u);

    /// <summary>The first reading has a billion counts, in a third of the time. Its average matters only if the counter did not run between the
    /// readings.</summary>
    [Theory]
    [InlineData(7, 1_000, 1_000, 0, 7)]
    [InlineData(7, 1_000, 500, 0, 14)]
    [InlineData(7, 1_000, 500, 5, 9)]
    [InlineData(7, 0, 0, 0, 7)] // a reading without the time has the times of the counter's last switch
    [InlineData(7, 1_000, 1_001, 0, 7)]
    [InlineData(0, 3_000, 0, 0, 3_000_000)] // off for the whole interval: the average before it
    [InlineData(0, 3_000, 0, 1_000_000, 2_000_000)]
    [InlineData(0, 1_000, 1_000, 0, 0)]
    public void A_delta_is_scaled_by_the_times_between_the_readings(ulong raw, ulong enabled, ulong running, ulong overhead, ulong delta)
    {
        PerfReading before = default, after = default;
        before.Add(1_000_000_000, 3_000_000, 1_000_000);
        after.Add(1_000_000_000 + raw, 3_000_000 + enabled, 1_000_000 + running);
        PerfMath.Delta(before, after, overhead).Should().Be(delta);
        PerfMath.Delta(after, before, overhead).Should().Be(0);
    }

    [Fact]
    public void A_delta_never_wraps()
    {
        Check.QuickThrowOnFailure(Prop.ForAll(
            Arb.From(Counts), Arb.From(Counts), Arb.From(Counts),
            (before, after, overhead) =>
            {
                ulong delta = PerfMath.Delta(before, after, overhead);
                UInt128 exact = after > before ? (UInt128)after - before : 0;
                return delta <= exact && delta == (exact > overhead ? exact - overhead : 0);
            }));
    }

    [Fact]
    public void Scaling_is_exact_and_monotone_in_the_count()
    {
        Check.QuickThrowOnFailure(Prop.ForAll(
            Arb.From(Counts), Arb.From(Counts), Arb.From(Counts),
            (count, a, b) =>
            {
                (ulong running, ulong enabled) = (Math.Min(a, b), Math.Max(a, b));
                ulong scaled = PerfMath.Scale(count, enabled, running);
                bool exact = running == 0
                    ? scaled == (enabled == 0 ? count : 0)
                    : (System.Numerics.BigInteger)scaled == System.Numerics.BigInteger.Min(Top, (System.Numerics.BigInteger)count * enabled / running);
                return exact && (count == 0 || PerfMath.Scale(count - 1, enabled, running) <= scaled);
            }));
    }

    [Theory]
    [InlineData(0, 0, null)]
    [InlineData(4, 1, 0.25)]
    [InlineData(4, 4, 1.0)]
    [InlineData(4, 5, 1.0)] // read slightly later
    [InlineData(4, 0, 0.0)]
    public void The_running_share_is_the_time_running_over_the_time_enabled(ulong enabled, ulong running, double? share) =>
        PerfMath.Share(enabled, running).Should().Be(share);

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
