using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

public class FactoryTests
{
    private static readonly Func<HdrHistogramFactory, HdrHistogramFactory>[] Steps =
    [
        factory => factory.WithRelativeError(0.01),
        factory => factory.WithLowestDiscernibleValue(3),
        factory => factory.WithMinTrackableValue(10),
        factory => factory.WithMaxTrackableValue(9_000),
        factory => factory.WithUInt64Storage(),
        factory => factory.WithThreadLocal(),
    ];

    [Fact]
    public void The_most_derived_type_is_known_to_the_compiler()
    {
        // This compiles only if each chain keeps its static type: Record can be inlined only with the sealed type.
        PlainHdrHistogram<uint> plain32 = HdrHistogram.Factory.WithUInt64Storage().WithUInt32Storage().Create();
        PlainHdrHistogram<ulong> plain64 = HdrHistogram.Factory.WithRelativeError(0.01).WithUInt64Storage().WithMinTrackableValue(1).Create();
        InterlockedHdrHistogram<uint> interlocked32 = HdrHistogram.Factory.WithThreadLocal().WithInterlocked().WithSignificantDigits(2).Create();
        InterlockedHdrHistogram<ulong> interlocked64 = HdrHistogram.Factory.WithInterlocked().WithUInt64Storage().WithMaxTrackableValue(5).Create();
        ThreadLocalHdrHistogram<uint> threadLocal32 = HdrHistogram.Factory.WithInterlocked().WithThreadLocal().Create();
        ThreadLocalHdrHistogram<ulong> threadLocal64 = HdrHistogram.Factory.WithUInt64Storage().WithThreadLocal().WithRelativeError(0.1).Create();

        HdrHistogram[] all = [plain32, plain64, interlocked32, interlocked64, threadLocal32, threadLocal64, HdrHistogram.Create()];
        all.Should().OnlyContain(histogram => histogram.GetType().IsSealed);
    }

    [Fact]
    public void Variant_and_storage_can_be_selected_at_run_time()
    {
        HdrHistogramFactory plain = HdrHistogram.Factory.WithRelativeError(value: 0.01);
        plain.WithInterlocked(enabled: true).Create().Should().BeOfType<InterlockedHdrHistogram<uint>>();
        plain.WithThreadLocal(true, TimeSpan.FromSeconds(1)).Create().Should().BeOfType<ThreadLocalHdrHistogram<uint>>();
        plain.WithUInt32Storage(false).Create().Should().BeOfType<PlainHdrHistogram<ulong>>();
        plain.WithUInt64Storage().WithUInt32Storage(true).Create().Should().BeOfType<PlainHdrHistogram<uint>>();
        foreach (HdrHistogramFactory off in new[]
        {
            plain.WithInterlocked(false), plain.WithThreadLocal(false), plain.WithInterlocked().WithInterlocked(false),
            plain.WithThreadLocal().WithThreadLocal(false),
        })
        {
            off.Create().Should().BeOfType<PlainHdrHistogram<uint>>().Which.RelativeError.Should().BeLessThanOrEqualTo(0.01);
        }

        plain.WithThreadLocal().WithInterlocked(false).Create().Should().BeOfType<ThreadLocalHdrHistogram<uint>>();
        plain.WithInterlocked().WithThreadLocal(false).Create().Should().BeOfType<InterlockedHdrHistogram<uint>>();
    }

    [Theory]
    [InlineData(0.1, 0, ulong.MaxValue)]
    [InlineData(0.01, 10, 9_000)]
    [InlineData(0.000001, 0, 100_000)] // the error of its block size is below the allowed minimum
    public void The_layout_of_another_histogram_gives_the_same_buckets(double relativeError, ulong min, ulong max)
    {
        HdrHistogram other = HdrHistogram.Factory.WithRelativeError(relativeError).WithLowestDiscernibleValue(8).WithMinTrackableValue(min).WithMaxTrackableValue(max).Create();
        HdrHistogram[] alike =
        [
            HdrHistogram.Factory.WithLayoutOf(other).WithUInt64Storage().Create(),
            HdrHistogram.Factory.WithInterlocked().WithLayoutOf(other.GetSnapshot()).Create(),
            HdrHistogram.Factory.WithRelativeError(0.02).WithThreadLocal().WithLayoutOf(other).Create(),
        ];
        alike.Should().OnlyContain(like => like.BlockSize == other.BlockSize && like.LowestDiscernibleValue == 8
            && like.MinTrackableValue == other.MinTrackableValue && like.MaxTrackableValue == other.MaxTrackableValue);
        FluentActions.Invoking(() => HdrHistogram.Factory.WithLayoutOf(null!)).Should().Throw<ArgumentNullException>();
    }

    [Fact]
    public void Times_of_snapshots_and_summaries_come_from_the_time_provider()
    {
        var start = new DateTimeOffset(2026, 11, 22, 12, 0, 0, TimeSpan.Zero);
        ManualTime time = new() { Now = start };
        ThreadLocalHdrHistogram<ulong> histogram = HdrHistogram.Factory.WithTimeProvider(time).WithUInt64Storage().WithThreadLocal()
            .WithLayoutOf(HdrHistogram.Create()).Create();
        HdrHistogramSnapshot snapshot = histogram.GetSnapshot();
        (snapshot.StartTime, snapshot.EndTime).Should().Be((start, start));

        time.Now = start.AddSeconds(1);
        snapshot.Update(deltas: true);
        (snapshot.StartTime, snapshot.EndTime).Should().Be((start, start.AddSeconds(1)));

        time.Now = start.AddSeconds(2);
        histogram.Reset();
        time.Now = start.AddSeconds(3);
        snapshot.Update();
        (snapshot.StartTime, snapshot.EndTime).Should().Be((start.AddSeconds(2), start.AddSeconds(3)));

        time.Now = start.AddSeconds(4);
        histogram.GetSummary().TimestampUtc.Should().Be(start.UtcDateTime.AddSeconds(4)).And.BeIn(DateTimeKind.Utc);
        snapshot.GetSummary().TimestampUtc.Should().Be(start.UtcDateTime.AddSeconds(3));
        FluentActions.Invoking(() => HdrHistogram.Factory.WithTimeProvider(null!)).Should().Throw<ArgumentNullException>();
    }

    [Fact]
    public void Methods_may_be_called_in_any_order()
    {
        foreach (HdrHistogramFactory factory in Permutations(Steps).Select(steps => steps.Aggregate((HdrHistogramFactory)HdrHistogram.Factory, (f, step) => step(f))))
        {
            HdrHistogram histogram = factory.Create();

            histogram.Should().BeOfType<ThreadLocalHdrHistogram<ulong>>();
            (histogram.BlockSize, histogram.LowestDiscernibleValue, histogram.MinTrackableValue, histogram.MaxTrackableValue)
                .Should().Be((64, 2, 10, 9_000));
        }
    }

    [Theory]
    [MemberData(nameof(Variants.All), MemberType = typeof(Variants))]
    public void A_factory_is_immutable(string variant)
    {
        HdrHistogramFactory factory = Variants.Factories[variant];
        foreach (Func<HdrHistogramFactory, HdrHistogramFactory> step in (Func<HdrHistogramFactory, HdrHistogramFactory>[])
            [.. Steps, f => f.WithInterlocked(), f => f.WithUInt32Storage(), f => f.WithSignificantDigits(1)])
        {
            step(factory).Create().Should().NotBeNull();
        }

        HdrHistogram histogram = factory.Create();
        histogram.BlockSize.Should().Be(512);
        histogram.LowestDiscernibleValue.Should().Be(1);
        histogram.MinTrackableValue.Should().Be(0);
        histogram.MaxTrackableValue.Should().Be(ulong.MaxValue);
        factory.Create().Should().NotBeSameAs(histogram).And.BeOfType(histogram.GetType());
    }

    [Theory]
    [InlineData(1, 1)]
    [InlineData(2, 2)]
    [InlineData(3, 2)]
    [InlineData(20_000, 16_384)]
    [InlineData(1UL << 58, 1UL << 58)]
    [InlineData((1UL << 59) - 1, 1UL << 58)]
    public void The_lowest_discernible_value_is_rounded_down_to_a_power_of_two(ulong asked, ulong unit)
    {
        foreach (HdrHistogramFactory factory in Variants.Factories.Values)
        {
            using HdrHistogram histogram = factory.WithLowestDiscernibleValue(asked).WithRelativeError(0.1).Create();
            histogram.LowestDiscernibleValue.Should().Be(unit);
            histogram.Record(unit - 1);
            histogram.Record(unit);
            histogram.Record(ulong.MaxValue);
            histogram.BucketsWithValues.Select(bucket => (bucket.Start, bucket.Count)).Take(2).Should().Equal((0, 1), (unit, 1));
            histogram.TotalCount.Should().Be(3);
        }
    }

    [Theory]
    [InlineData(1, 16)]
    [InlineData(2, 128)]
    [InlineData(3, 1_024)]
    [InlineData(4, 16_384)]
    [InlineData(5, 131_072)]
    public void Significant_digits_are_a_relative_error_of_half_a_digit(int digits, int blockSize) =>
        HdrHistogram.Factory.WithSignificantDigits(digits).WithMaxTrackableValue(10).Create().BlockSize.Should().Be(blockSize);

    [Fact]
    public void Arguments_out_of_range_are_rejected()
    {
        foreach (HdrHistogramFactory factory in Variants.Factories.Values)
        {
            foreach (double error in (double[])[double.NaN, 0, -0.01, 0.000_000_999, 0.100_000_1, 1, double.PositiveInfinity])
            {
                factory.Invoking(f => f.WithRelativeError(error)).Should().Throw<ArgumentOutOfRangeException>()
                    .WithParameterName("value").WithMessage("*0.000001 to 0.1*");
            }

            foreach (int digits in (int[])[0, -1, 6])
            {
                factory.Invoking(f => f.WithSignificantDigits(digits)).Should().Throw<ArgumentOutOfRangeException>()
                    .WithParameterName("significantDigits").WithMessage("*1 to 5*");
            }

            foreach ((ulong min, ulong max) in ((ulong, ulong)[])[(10, 10), (11, 10), (ulong.MaxValue, ulong.MaxValue), (0, 0)])
            {
                factory.WithMinTrackableValue(min).WithMaxTrackableValue(max).Invoking(f => f.Create())
                    .Should().Throw<ArgumentException>().WithMessage($"*{min}*{max}*");
            }

            factory.Invoking(f => f.WithLowestDiscernibleValue(0)).Should().Throw<ArgumentOutOfRangeException>().WithParameterName("value");
            factory.WithLowestDiscernibleValue(1UL << 59).WithRelativeError(0.1).Invoking(f => f.Create())
                .Should().Throw<ArgumentException>().WithMessage("LowestDiscernibleValue (576460752303423488) times BlockSize (8)*2^61*");
        }
    }

    private static IEnumerable<T[]> Permutations<T>(T[] items) => items.Length <= 1
        ? [items]
        : items.SelectMany((item, i) => Permutations<T>([.. items[..i], .. items[(i + 1)..]]).Select(rest => (T[])[item, .. rest]));
}
