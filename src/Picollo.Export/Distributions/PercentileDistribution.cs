using System.Text;
using static System.FormattableString;

namespace Picollo.Export;

/// <summary>
/// The percentile distribution as text (<c>.hgrm</c>) and CSV, as the HdrHistogram family prints it and its plotters read it: value, rank,
/// count up to the value, 1/(1−rank), in steps that halve whenever the rank has halved its distance to 1.
/// </summary>
/// <remarks>
/// <para>Byte for byte what <c>outputPercentileDistribution</c> of HdrHistogram 2.1.11 for Java prints for the same histogram, encoded here
/// and decoded there, as far as numbers have 15 digits with their decimals (Java prints further ones otherwise before and after JDK 21)
/// and counts are up to about 2⁵⁰ (beyond them the family's steps stop moving). A histogram of another precision than 1 to 5 digits is
/// printed with its own buckets and the decimals of the next finer digits.</para>
/// <para>Values are the upper bounds of their buckets; mean and standard deviation are those of midpoints. Values out of range are not in
/// it.</para>
/// <para>Thread-safe.</para>
/// </remarks>
public static class PercentileDistribution
{
    private const char ByteOrderMark = '\uFEFF'; // what an editor may have put before the text

    private const int MaxLineLength = 1 << 16; // the lines that are written have about 50 characters

    private const string CsvLegend = "\"Value\",\"Percentile\",\"TotalCount\",\"1/(1-Percentile)\"";

    /// <summary>Writes the distribution as text, with mean, standard deviation, maximum, count and size at its foot.</summary>
    /// <param name="histogram">Is read once.</param>
    /// <param name="output">Where to; lines end in LF.</param>
    /// <param name="ticksPerHalfDistance">The steps from one rank to halfway between it and 1; 1 or more.</param>
    /// <param name="valueUnitRatio">What values are divided by: 1,000,000 prints nanoseconds as milliseconds. Above 0.</param>
    /// <exception cref="ArgumentNullException">No histogram or output.</exception>
    /// <exception cref="ArgumentOutOfRangeException">A number is outside its range.</exception>
    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    public static void Write(
        ReadOnlyHdrHistogram histogram, TextWriter output, int ticksPerHalfDistance = 5, double valueUnitRatio = 1)
    {
        Check(histogram, output, ticksPerHalfDistance, valueUnitRatio);
        StillHistogram still = new(histogram);
        Bucket[] buckets = [.. still.BucketsWithValues];
        int decimals = EncodedHeader.DigitsOf(histogram.BlockSize);
        string Value(double value) => FixedPoint.Format(value / valueUnitRatio, decimals).PadLeft(12);

        output.Write("       Value     Percentile TotalCount 1/(1-Percentile)\n\n");
        foreach (PercentileDistributionLine line in LinesOf(still, ticksPerHalfDistance))
        {
            string tail = line.Rank == 1 ? "" : $" {FixedPoint.Format(1 / (1 - line.Rank), 2),14}";
            output.Write(Invariant($"{Value(line.Value)} {FixedPoint.Format(line.Rank, 12)} {line.TotalCount,10}{tail}\n"));
        }

        (double mean, double stDev, ulong total) = MomentsOf(buckets);
        Bucket largest = buckets.LastOrDefault();
        ulong max = total == 0 ? histogram.LowestDiscernibleValue - 1 : largest.End; // of an empty one it is Java's, too
        output.Write(Invariant($"#[Mean    = {Value(mean)}, StdDeviation   = {Value(stDev)}]\n"));
        output.Write(Invariant($"#[Max     = {Value(max)}, Total count    = {total,12}]\n"));

        // The first of the family's buckets is two of our blocks, and each further one a block.
        int highest = (int)ulong.Log2(HdrHistogramEncoder.HighestTrackable(histogram, largest.Start));
        int familyBuckets = Math.Max(highest - histogram.Layout.BlockScale - histogram.Layout.UnitScale, 0) + 1;
        output.Write(Invariant($"#[Buckets = {familyBuckets,12}, SubBuckets     = {2 * histogram.BlockSize,12}]\n"));
    }

    /// <summary>Writes the distribution as comma-separated values under a line of names.</summary>
    /// <inheritdoc cref="Write"/>
    public static void WriteCsv(
        ReadOnlyHdrHistogram histogram, TextWriter output, int ticksPerHalfDistance = 5, double valueUnitRatio = 1)
    {
        Check(histogram, output, ticksPerHalfDistance, valueUnitRatio);
        int decimals = EncodedHeader.DigitsOf(histogram.BlockSize);
        output.Write(CsvLegend + "\n");
        foreach (PercentileDistributionLine line in LinesOf(histogram, ticksPerHalfDistance))
        {
            string value = FixedPoint.Format(line.Value / valueUnitRatio, decimals);
            string tail = line.Rank == 1 ? "Infinity" : FixedPoint.Format(1 / (1 - line.Rank), 2);
            output.Write(Invariant($"{value},{FixedPoint.Format(line.Rank, 12)},{line.TotalCount},{tail}\n"));
        }
    }

    /// <summary>Reads a distribution back, of either form, one line at a time. Comments, blank lines, names and what follows the count are
    /// passed over.</summary>
    /// <returns>Its lines, in the unit that it was written in.</returns>
    /// <exception cref="HdrHistogramFormatException">A line does not begin with a finite value, a rank from 0 to 1 and a count, or has
    /// more than 65,536 characters.</exception>
    internal static IEnumerable<PercentileDistributionLine> Read(TextReader input)
    {
        StringBuilder buffer = new();
        for (long number = 1; ReadLine(input, buffer, number) is { } line; number++)
        {
            string text = line.TrimStart(number == 1 ? ByteOrderMark : ' ').Trim();
            if (text.Length == 0 || text.StartsWith('#') || text.StartsWith("Value", StringComparison.Ordinal) || text == CsvLegend)
            {
                continue;
            }

            string[] fields = text.Split([' ', ',', '\t'], StringSplitOptions.RemoveEmptyEntries);
            yield return fields.Length >= 3
                && double.TryParse(fields[0], CultureInfo.InvariantCulture, out double value)
                && double.IsFinite(value)
                && double.TryParse(fields[1], CultureInfo.InvariantCulture, out double rank)
                && rank is >= 0 and <= 1
                && ulong.TryParse(fields[2], CultureInfo.InvariantCulture, out ulong count)
                    ? new(value, rank, count)
                    : throw new HdrHistogramFormatException("No value, rank and count", line.Length - line.TrimStart().Length, number);
        }
    }

    /// <summary>Reads as <see cref="TextReader.ReadLine"/> does, which has no limit.</summary>
    private static string? ReadLine(TextReader input, StringBuilder line, long number)
    {
        line.Clear();
        int next;
        while ((next = input.Read()) is not ('\n' or '\r' or -1))
        {
            if (line.Length == MaxLineLength)
            {
                throw new HdrHistogramFormatException($"The line has more than {MaxLineLength} characters", MaxLineLength, number);
            }

            line.Append((char)next);
        }

        if (next == '\r' && input.Peek() == '\n')
        {
            input.Read();
        }

        return next < 0 && line.Length == 0 ? null : line.ToString();
    }

    private static void Check(ReadOnlyHdrHistogram histogram, TextWriter output, int ticksPerHalfDistance, double valueUnitRatio)
    {
        ArgumentNullException.ThrowIfNull(histogram);
        ArgumentNullException.ThrowIfNull(output);
        ArgumentOutOfRangeException.ThrowIfLessThan(ticksPerHalfDistance, 1);
        UnitRatio.Check(valueUnitRatio);
    }

    /// <summary>The lines in the values' own unit.</summary>
    private static IEnumerable<PercentileDistributionLine> LinesOf(ReadOnlyHdrHistogram histogram, int ticksPerHalfDistance) =>
        histogram.GetPercentileSteps(ticksPerHalfDistance)
            .Select(step => new PercentileDistributionLine(step.Bucket.End, step.Rank / 100, step.RunningCount));

    /// <summary>In one pass from the smallest value, as the family adds, so that the last digit is the same.</summary>
    private static (double Mean, double StDev, ulong Total) MomentsOf(Bucket[] buckets)
    {
        ulong total = 0;
        double sum = 0;
        foreach (Bucket bucket in buckets)
        {
            total += bucket.Count;
            sum += (double)bucket.MidPoint * bucket.Count;
        }

        if (total == 0)
        {
            return default;
        }

        double mean = sum / total;
        double squares = 0;
        foreach (Bucket bucket in buckets)
        {
            double deviation = bucket.MidPoint - mean;
            squares += deviation * deviation * bucket.Count;
        }

        return (mean, Math.Sqrt(squares / total), total);
    }
}

/// <summary>A line of a percentile distribution.</summary>
/// <param name="Value">The upper bound of the bucket in which the rank falls, in the distribution's unit.</param>
/// <param name="Rank">The share of the values, 0 to 1.</param>
/// <param name="TotalCount">Number of values up to and including that bucket.</param>
internal readonly record struct PercentileDistributionLine(double Value, double Rank, ulong TotalCount);
