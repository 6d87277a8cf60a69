using System.Numerics;
using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

public class RoundNumberTests
{
    [Theory]
    [InlineData(1536, 1024, 2, 1.5)]
    [InlineData(1000, 1, 4, 1000)]
    [InlineData(123_392, 1, 128, 123_500)]
    [InlineData(5, 1, 1, 5)]
    [InlineData(0, 1024, 2, 0.001)]
    public void The_number_has_the_fewest_digits(ulong start, double ratio, ulong step, double expected)
    {
        (double value, double error) = RoundNumber.In(BucketOf(start, step), ratio);

        value.Should().Be(expected);
        error.Should().Be(step == 1 ? 0 : Math.Max(((start + step) / ratio) - expected, expected - (start / ratio)));
    }

    [Fact]
    public void The_number_is_always_in_the_bucket() => Seeded.Run(2_000, random =>
    {
        ulong step = 1UL << random.Next(1, 50);
        ulong start = (ulong)random.NextInt64(1, 1 << 12) * step;
        double ratio = Math.Pow(2, random.Next(-10, 60)) * (1 + random.Next(1000));

        (double value, double error) = RoundNumber.In(BucketOf(start, step), ratio);

        value.Should().BeGreaterThanOrEqualTo(start / ratio).And.BeLessThan((start + step) / ratio);
        error.Should().BePositive().And.BeLessThanOrEqualTo(step / ratio * 1.0000001);
    });

    private static Bucket BucketOf(ulong start, ulong step)
    {
        var layout = new HdrHistogramLayout(0.5 / 2_048, step);
        Bucket bucket = layout.BucketAt(layout.IndexOf(start), 0, 1);
        (bucket.Start, bucket.Step).Should().Be((start, step));
        return bucket;
    }
}
