namespace Picollo.Metrics;

/// <summary>Total, sum, mean and standard deviation of what a histogram counted, each value at its bucket's midpoint.</summary>
internal readonly record struct CounterMoments(ulong Total, double Sum, double Mean, double StDev)
{
    public static CounterMoments Of(ReadOnlyHdrHistogram source, ReadOnlySpan<ulong> counts, ulong total)
    {
        if (total == 0)
        {
            return default;
        }

        UInt128 sum = 0; // exact: less than 2⁶⁴ values below 2⁶⁴
        for (int i = 0; i < counts.Length; i++)
        {
            if (counts[i] != 0)
            {
                sum += (UInt128)counts[i] * source.BucketAt(i, 0).Midpoint;
            }
        }

        (UInt128 whole, UInt128 rest) = UInt128.DivRem(sum, total);
        double mean = (double)whole + ((double)rest / total);
        double squares = 0;
        for (int i = 0; i < counts.Length; i++)
        {
            if (counts[i] != 0)
            {
                double distance = source.BucketAt(i, 0).Midpoint - mean;
                squares += counts[i] * distance * distance;
            }
        }

        return new CounterMoments(total, (double)sum, mean, Math.Sqrt(squares / total));
    }
}
