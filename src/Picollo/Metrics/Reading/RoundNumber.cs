namespace Picollo.Metrics;

/// <summary>The number of a bucket that has the fewest digits: people write 1.5, and not the middle of the bucket that it is in.</summary>
internal static class RoundNumber
{
    /// <summary>The number, and how far others of the bucket are from it at most.</summary>
    /// <param name="bucket">The bucket.</param>
    /// <param name="ratio">What recorded values are divided by.</param>
    public static (double Value, double Error) In(Bucket bucket, double ratio)
    {
        double start = bucket.Start / ratio;
        double end = ((double)bucket.Start + bucket.Step) / ratio;
        double middle = (start + end) / 2;
        if (bucket.Step <= 1)
        {
            return (start, 0); // every digit is known
        }

        // From one digit on, the multiple of a power of ten that is nearest to the middle.
        for (int decimals = -(int)Math.Floor(Math.Log10(end)); ; decimals++)
        {
            double value = Scale(Math.Round(Scale(middle, decimals)), -decimals);
            if (value >= start && value < end)
            {
                return (value, Math.Max(end - value, value - start));
            }
        }
    }

    // Powers of ten above 1 are exact to 10²², their reciprocals are not.
    private static double Scale(double value, int decimals) =>
        decimals >= 0 ? value * Math.Pow(10, decimals) : value / Math.Pow(10, -decimals);
}
