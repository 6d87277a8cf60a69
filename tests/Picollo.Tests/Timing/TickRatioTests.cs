using System.Numerics;
using FsCheck;
using FsCheck.Fluent;
using Picollo.Timing;

namespace Picollo.Tests.Timing;

/// <summary>Compares the fixed-point arithmetic with arithmetic without limits.</summary>
public class TickRatioTests
{
    private static readonly BigInteger One = BigInteger.Pow(2, TickRatio.FractionBits);

    [Fact]
    public void Picoseconds_are_exact_rounded_down_and_saturated() =>
        ForAll((ticks, multiplier) => TickRatio.ToPicoseconds(ticks, multiplier) == Saturate(ticks * (BigInteger)multiplier / One));

    [Fact]
    public void Nanoseconds_are_exact_rounded_down_and_saturated() =>
        ForAll((ticks, multiplier) => TickRatio.ToNanoseconds(ticks, multiplier) == Saturate(ticks * (BigInteger)multiplier / One / 1000));

    [Fact]
    public void Signed_picoseconds_are_exact_rounded_towards_minus_infinity() =>
        ForAll((ticks, multiplier) =>
        {
            BigInteger product = (long)ticks * (BigInteger)(multiplier >> 1);
            BigInteger floor = product >> TickRatio.FractionBits; // BigInteger shifts round down, also for negative numbers
            return (BigInteger)TickRatio.ToSignedPicoseconds((long)ticks, multiplier >> 1) == floor;
        });

    [Fact]
    public void A_ratio_is_rounded_to_nearest()
    {
        var random = new System.Random(7);
        for (int i = 0; i < 20_000; i++)
        {
            long counterTicks = Positive(random, 44);
            long clockTicks = Positive(random, 44);
            long frequency = Positive(random, 31);
            BigInteger numerator = clockTicks * BigInteger.Pow(10, 12) * One;
            BigInteger divisor = (BigInteger)counterTicks * frequency;
            BigInteger nearest = (2 * numerator + divisor) / (2 * divisor);
            ulong expected = nearest <= ulong.MaxValue ? (ulong)nearest : 0;

            TickRatio.FromElapsed(counterTicks, clockTicks, frequency).Should()
                .Be(expected, "seed 7: {0} ticks in {1} at {2} Hz", counterTicks, clockTicks, frequency);
        }
    }

    [Theory]
    [InlineData(0, 1, 1)]
    [InlineData(1, 0, 1)]
    [InlineData(-1, 1, 1)]
    [InlineData(1, -1, 1)]
    [InlineData(1, 1, 0)]
    [InlineData(1, 1, 59_000)] // 16.9 µs a tick
    [InlineData(1, long.MaxValue, 1)]
    public void A_ratio_that_does_not_fit_is_0(long counterTicks, long clockTicks, long frequency) =>
        TickRatio.FromElapsed(counterTicks, clockTicks, frequency).Should().Be(0);

    [Fact]
    public void Ticks_and_picoseconds_are_inverse_within_a_tick() =>
        ForAll((picoseconds, multiplier) =>
        {
            ulong some = picoseconds >> 20;
            ulong ratio = multiplier | 1UL << TickRatio.FractionBits;
            ulong back = TickRatio.ToPicoseconds(TickRatio.ToTicks(some, ratio), ratio);
            return back <= some && some - back <= (ratio >> TickRatio.FractionBits) + 1;
        });

    private static void ForAll(Func<ulong, ulong, bool> property)
    {
        // Generate all magnitudes with equal probability: a uniform ulong is nearly always above 2⁶⁰.
        Gen<ulong> magnitudes =
            from value in Gen.Choose(0, int.MaxValue).Two()
            from shift in Gen.Choose(0, 63)
            select ((ulong)value.Item1 << 33 ^ (ulong)value.Item2) >> shift;
        Prop.ForAll(magnitudes.Two().ToArbitrary(), pair => property(pair.Item1, pair.Item2))
            .Check(Config.QuickThrowOnFailure.WithMaxTest(2_000));
    }

    private static long Positive(System.Random random, int bits) => 1 + (random.NextInt64(1L << bits) >> random.Next(bits));

    private static ulong Saturate(BigInteger value) => value <= ulong.MaxValue ? (ulong)value : ulong.MaxValue;
}
