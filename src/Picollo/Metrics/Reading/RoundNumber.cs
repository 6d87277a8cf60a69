namespace Picollo.Metrics;

/// <summary>Finds the number with the fewest digits in a bucket: people write 1.5, not the middle of its bucket.</summary>
internal static class RoundNumber
{
    /// <summary>Returns the number, in recorded values divided by <paramref name="ratio"/>, and the largest distance of any value of the
    /// bucket from it.</summary>
    public static (double Value, double Error) In(Bucket bucket, double ratio)
    {
        double start = bucket.Start / ratio;
        double end = ((double)bucket.Start + bucket.Step) / ratio;
        double middle = (start + end) / 2;
        if (bucket.Step <= 1)
        {
            return (start, 0); // every digit is known
        }

        // Try the multiple of a power of ten that is nearest to the middle, first with one digit, then with more.
        for (int decimals = -(int)Math.Floor(Math.Log10(end)); ; decimals++)
        {
            double value = Scale(Math.Round(Scale(middle, decimals)), -decimals);
            if (value >= start && value < end)
            {
                return (value, Math.Max(end - value, value - start));
            }
        }
    }

    // Powers of ten are exact up to 10²²; their reciprocals are not.
    private static double Scale(double value, int decimals) =>
        decimals >= 0 ? value * Math.Pow(10, decimals) : value / Math.Pow(10, -decimals);
}
