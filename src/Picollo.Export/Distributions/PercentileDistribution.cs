using Picollo.Export.Text;
using static System.FormattableString;

namespace Picollo.Export;

/// <summary>
/// Writes the percentile distribution as text (<c>.hgrm</c>) and CSV, in the format that the HdrHistogram libraries print and their
/// plotters read. Each line has a value, its rank, the count up to the value and 1/(1−rank). The step halves each time the distance from
/// the rank to 1 has halved.
/// </summary>
/// <remarks>
/// <para>If a histogram is encoded with this library and decoded with HdrHistogram 2.1.11 for Java, the output is identical to that of
/// <c>outputPercentileDistribution</c>, byte for byte. This holds for numbers of up to 15 digits including their decimals (Java versions
/// before and after JDK 21 print further digits differently) and for counts up to about 2⁵⁰ (above this count, the steps of the
/// HdrHistogram libraries no longer advance). A histogram with a precision other than 1 to 5 digits is printed with its own buckets and the
/// decimals of the next finer number of digits.</para>
/// <para>Values are the upper bounds of their buckets. Mean and standard deviation use midpoints. Values out of range are not
/// included.</para>
/// <para>Thread-safe.</para>
/// </remarks>
public static class PercentileDistribution
{
    /// <summary>Writes the distribution as text. The footer has the mean, standard deviation, maximum, count and size.</summary>
    /// <param name="histogram">The histogram. It is read once.</param>
    /// <param name="output">The writer for the text. Lines end in LF.</param>
    /// <param name="ticksPerHalfDistance">The number of steps from one rank to halfway between it and 1; 1 or more.</param>
    /// <param name="valueUnitRatio">The divisor of all values, above 0. For example, 1,000,000 prints nanoseconds as milliseconds.</param>
    /// <exception cref="ArgumentNullException"><paramref name="histogram"/> or <paramref name="output"/> is
    /// <see langword="null"/>.</exception>
    /// <exception cref="ArgumentOutOfRangeException">A number is outside its range.</exception>
    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    public static void Write(
        ReadOnlyHdrHistogram histogram, TextWriter output, int ticksPerHalfDistance = 5, double valueUnitRatio = 1)
    {
        Check(histogram, output, ticksPerHalfDistance, valueUnitRatio);
        PlainHdrHistogram<ulong> copy = HdrHistogramMerger.Copy(histogram);
        Bucket[] buckets = [.. copy.BucketsWithValues];
        int decimals = EncodedHeader.DigitsOf(histogram.BlockSize);
        string Value(double value) => FixedPoint.Format(value / valueUnitRatio, decimals).PadLeft(12);

        output.Write("       Value     Percentile TotalCount 1/(1-Percentile)\n\n");
        foreach (PercentileDistributionLine line in LinesOf(copy, ticksPerHalfDistance))
        {
            string tail = line.Rank == 1 ? "" : $" {FixedPoint.Format(1 / (1 - line.Rank), 2),14}";
            output.Write(Invariant($"{Value(line.Value)} {FixedPoint.Format(line.Rank, 12)} {line.TotalCount,10}{tail}\n"));
        }

        (double mean, double stDev, ulong total) = MomentsOf(buckets);
        Bucket largest = buckets.LastOrDefault();
        ulong max = total == 0 ? histogram.LowestDiscernibleValue - 1 : largest.End; // Java prints the same for an empty histogram
        output.Write(Invariant($"#[Mean    = {Value(mean)}, StdDeviation   = {Value(stDev)}]\n"));
        output.Write(Invariant($"#[Max     = {Value(max)}, Total count    = {total,12}]\n"));

        // The first bucket of those libraries is two of our blocks, and each further bucket is one block.
        int highest = (int)ulong.Log2(HdrHistogramEncoder.HighestTrackable(histogram, largest.Start));
        int libraryBuckets = Math.Max(highest - (int)ulong.Log2((ulong)histogram.BlockSize * histogram.LowestDiscernibleValue), 0) + 1;
        output.Write(Invariant($"#[Buckets = {libraryBuckets,12}, SubBuckets     = {2 * histogram.BlockSize,12}]\n"));
    }

    /// <summary>Writes the distribution as comma-separated values below a line of column names.</summary>
    /// <inheritdoc cref="Write"/>
    public static void WriteCsv(
        ReadOnlyHdrHistogram histogram, TextWriter output, int ticksPerHalfDistance = 5, double valueUnitRatio = 1)
    {
        Check(histogram, output, ticksPerHalfDistance, valueUnitRatio);
        int decimals = EncodedHeader.DigitsOf(histogram.BlockSize);
        output.Write("\"Value\",\"Percentile\",\"TotalCount\",\"1/(1-Percentile)\"\n");
        foreach (PercentileDistributionLine line in LinesOf(histogram, ticksPerHalfDistance))
        {
            string value = FixedPoint.Format(line.Value / valueUnitRatio, decimals);
            string tail = line.Rank == 1 ? "Infinity" : FixedPoint.Format(1 / (1 - line.Rank), 2);
            output.Write(Invariant($"{value},{FixedPoint.Format(line.Rank, 12)},{line.TotalCount},{tail}\n"));
        }
    }

    private static void Check(ReadOnlyHdrHistogram histogram, TextWriter output, int ticksPerHalfDistance, double valueUnitRatio)
    {
        ArgumentNullException.ThrowIfNull(histogram);
        ArgumentNullException.ThrowIfNull(output);
        ArgumentOutOfRangeException.ThrowIfLessThan(ticksPerHalfDistance, 1);
        UnitRatio.Check(valueUnitRatio);
    }

    /// <summary>Returns the lines, in the unit of the values.</summary>
    private static IEnumerable<PercentileDistributionLine> LinesOf(ReadOnlyHdrHistogram histogram, int ticksPerHalfDistance) =>
        histogram.GetPercentileSteps(ticksPerHalfDistance)
            .Select(step => new PercentileDistributionLine(step.Bucket.End, step.Rank / 100, step.RunningCount));

    /// <summary>Computes the moments in one pass from the smallest value, as the HdrHistogram libraries do, so that the last digit is
    /// equal.</summary>
    private static (double Mean, double StDev, ulong Total) MomentsOf(Bucket[] buckets)
    {
        ulong total = 0;
        double sum = 0;
        foreach (Bucket bucket in buckets)
        {
            total += bucket.Count;
            sum += (double)bucket.Midpoint * bucket.Count;
        }

        if (total == 0)
        {
            return default;
        }

        double mean = sum / total;
        double squares = 0;
        foreach (Bucket bucket in buckets)
        {
            double deviation = bucket.Midpoint - mean;
            squares += deviation * deviation * bucket.Count;
        }

        return (mean, Math.Sqrt(squares / total), total);
    }
}

/// <summary>A line of a percentile distribution: the upper bound of the bucket that contains the rank from 0 to 1, in the unit of the
/// distribution, and the number of values up to and including that bucket.</summary>
internal readonly record struct PercentileDistributionLine(double Value, double Rank, ulong TotalCount);
