namespace Picollo.Export.Tests;

public class ExponentialBoundsTests
{
    [Fact]
    public void A_power_of_two_is_in_the_bucket_whose_upper_bound_it_is()
    {
        for (int schema = 0; schema <= ExponentialBounds.MaxSchema; schema++)
        {
            for (int power = -60; power <= 63; power++)
            {
                double value = Math.ScaleB(1, power);
                (ExponentialBounds.BucketOf(value, schema), ExponentialBounds.BucketOf(Math.BitIncrement(value), schema))
                    .Should().Be((power << schema, (power << schema) + 1), "of {0}, schema {1}", value, schema);
                ExponentialBounds.UpperBoundOf(power << schema, schema).Should().Be(value);
            }
        }
    }

    [Fact]
    public void A_value_is_above_the_previous_bound_and_not_above_the_bound_of_its_bucket() => Seeded.Run(2_000, random =>
    {
        int schema = random.Next(ExponentialBounds.MinSchema, ExponentialBounds.MaxSchema + 1);
        double value = Math.ScaleB(1 + random.NextDouble(), random.Next(-90, 64));
        int bucket = ExponentialBounds.BucketOf(value, schema);
        foreach (double near in new[] { value, ExponentialBounds.UpperBoundOf(bucket, schema), Math.BitIncrement(ExponentialBounds.UpperBoundOf(bucket, schema)) })
        {
            int its = ExponentialBounds.BucketOf(near, schema);
            near.Should().BeGreaterThan(ExponentialBounds.UpperBoundOf(its - 1, schema)).And.BeLessThanOrEqualTo(ExponentialBounds.UpperBoundOf(its, schema));
        }
    });

    [Theory]
    [InlineData(-4, 65536)]
    [InlineData(-1, 4)]
    [InlineData(0, 2)]
    [InlineData(1, 1.4142135623730951)]
    [InlineData(8, 1.0027112750502025)]
    public void Bounds_have_the_ratio_of_the_schema(int schema, double ratio)
    {
        for (int bucket = -3; bucket < 3; bucket++)
        {
            (ExponentialBounds.UpperBoundOf(bucket + 1, schema) / ExponentialBounds.UpperBoundOf(bucket, schema)).Should().BeApproximately(ratio, 1e-12 * ratio);
        }
    }
}
