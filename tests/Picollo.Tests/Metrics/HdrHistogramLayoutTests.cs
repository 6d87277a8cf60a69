using System.Numerics;
using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

public class HdrHistogramLayoutTests
{
    private const int MinScale = 3;
    private const int MaxScale = 19;

    public static TheoryData<int> Scales => [.. Enumerable.Range(MinScale, MaxScale - MinScale + 1)];

    [Theory]
    [InlineData(0.1, 8)]
    [InlineData(0.0625, 8)]
    [InlineData(0.0624, 16)]
    [InlineData(0.056, 16)] // truncating 8.93 would give 8 and an error of 0.0625
    [InlineData(0.01, 64)]
    [InlineData(0.001, 512)]
    [InlineData(0.0005, 1024)]
    [InlineData(0.000_001, 524_288)]
    public void The_block_size_is_rounded_up_to_a_power_of_two(double relativeError, int blockSize)
    {
        HdrHistogramLayout layout = new(relativeError);

        layout.BlockSize.Should().Be(blockSize);
        layout.BlockScale.Should().Be(BitOperations.Log2((uint)blockSize));
        layout.RelativeError.Should().Be(0.5 / blockSize).And.BeLessThanOrEqualTo(relativeError);
    }

    [Theory]
    [MemberData(nameof(Scales))]
    public void Indexes_with_a_unit_equal_those_of_other_HdrHistogram_libraries(int scale)
    {
        for (int unitScale = 0; unitScale <= Math.Min(14, HdrHistogramLayout.MaxUnitAndBlockScale - scale); unitScale++)
        {
            HdrHistogramLayout layout = Layout(scale, unitScale);
            foreach (ulong value in Values.Edges)
            {
                uint index = layout.IndexOf(value);
                (index - layout.Origin).Should().Be(JavaLibraryIndex(value, scale, unitScale), "value {0}, unit 2^{1}", value, unitScale);
                layout.BucketAt(layout.Origin, (int)(index - layout.Origin), 1).LogicalIndex.Should().Be((int)(index - layout.Origin), "it counts from 0");
                ulong step = 1UL << layout.StepScaleOf(index);
                layout.StartOf(index).Should().Be(value - (value % step), "value {0}, unit 2^{1}", value, unitScale);
                step.Should().Be(Math.Max(1UL << unitScale, 1UL << Math.Max(BitOperations.Log2(value) - scale, 0)));
            }
        }
    }

    [Fact]
    [Trait("Category", "Slow")]
    public void Indexes_and_values_of_any_layout_are_consistent() => Seeded.Run(2_000, random =>
    {
        int scale = random.Next(20);
        HdrHistogramLayout layout = new(Math.Min(0.5 + (random.NextDouble() / 2), 0.5 * (1 << scale)) / (1 << scale), 1UL << random.Next(62 - scale));
        ulong value = (ulong)random.NextInt64(long.MinValue, long.MaxValue) >> random.Next(64);
        int last = layout.GetIndex(ulong.MaxValue);

        foreach (int index in (int[])[0, 1, layout.GetIndex(value), last - 1, last])
        {
            (ulong start, ulong middle, ulong end) = (layout.GetStart(index), layout.GetMidpoint(index), layout.GetEnd(index));
            ((int[])[layout.GetIndex(start), layout.GetIndex(middle), layout.GetIndex(end)]).Should().AllBeEquivalentTo(index);
            (end - start).Should().Be(layout.GetStep(index) - 1);
            middle.Should().Be(start + (layout.GetStep(index) / 2));
            (end + 1).Should().Be(index == last ? 0 : layout.GetStart(index + 1));
        }

        int found = layout.GetIndex(value);
        value.Should().BeInRange(layout.GetStart(found), layout.GetEnd(found));
        Math.Abs((double)value - layout.GetMidpoint(found)).Should().BeLessThanOrEqualTo(
            Math.Max(layout.RelativeError * value, layout.LowestDiscernibleValue / 2.0));
        layout.Invoking(l => l.GetStart(-1)).Should().Throw<ArgumentOutOfRangeException>().WithParameterName("index");
        layout.Invoking(l => l.GetEnd(last + 1)).Should().Throw<ArgumentOutOfRangeException>().WithParameterName("index");
        new HdrHistogramLayout(layout.RelativeError, layout.LowestDiscernibleValue).Should().Be(layout);
        default(HdrHistogramLayout).Should().Be(new HdrHistogramLayout(0.5), "the default is the coarsest one");
    });

    [Fact]
    public void Arguments_of_a_layout_are_validated()
    {
        foreach (double relativeError in (double[])[0, -1, 0.500001, 0.0000009, double.NaN, double.PositiveInfinity])
        {
            FluentActions.Invoking(() => new HdrHistogramLayout(relativeError)).Should().Throw<ArgumentOutOfRangeException>().WithParameterName("relativeError");
        }

        FluentActions.Invoking(() => new HdrHistogramLayout(0.01, 0)).Should().Throw<ArgumentOutOfRangeException>().WithParameterName("lowestDiscernibleValue");
        FluentActions.Invoking(() => new HdrHistogramLayout(0.1, 1UL << 59)).Should().Throw<ArgumentException>().WithMessage("*2^61*");
        new HdrHistogramLayout(0.1, (1UL << 59) - 1).ToString().Should().Be("HdrHistogramLayout { BlockSize = 8, LowestDiscernibleValue = 288230376151711744 }");
    }

    private static HdrHistogramLayout Layout(int scale, int unitScale = 0) => new(0.5 / (1 << scale), 1UL << unitScale);

    // countsArrayIndex of the Java library, where the sub-bucket count is twice the block size.
    private static uint JavaLibraryIndex(ulong value, int scale, int unitScale)
    {
        int leadingZeros = BitOperations.LeadingZeroCount(value | (((2UL << scale) - 1) << unitScale));
        int bucket = 64 - unitScale - scale - 1 - leadingZeros;
        int subBucket = (int)(value >> (bucket + unitScale));
        return (uint)(((bucket + 1) << scale) + subBucket - (1 << scale));
    }
}
