using Picollo.Export;

namespace Picollo.Cli.Hist;

/// <summary>Reads logs of percentiles, which jHiccup 1 and HistogramLogProcessor write. They contain no histograms: each line has a few
/// percentiles of an interval and of all intervals up to it. The last line is therefore the distribution of the whole log.</summary>
internal static class PercentileLog
{
    private const int FieldCount = 12;
    private const int CountField = 5;
    private const double MaxCount = 1L << 53; // a double contains larger counts only approximately

    private const string TextLegend = "Time: IntervalPercentiles:count ( 50% 90% Max ) TotalPercentiles:count (";
    private const string CsvLegend = "\"Int_Count\",\"Int_50%\",\"Int_90%\",\"Int_Max\",\"Total_Count\",";

    // The percentiles of a line, after the total count.
    private static readonly decimal[] Ranks = [0.5m, 0.9m, 0.99m, 0.999m, 0.9999m, 1];

    public static bool IsLegend(string line) =>
        line.StartsWith(TextLegend, StringComparison.Ordinal) || line.Contains(CsvLegend, StringComparison.Ordinal);

    /// <summary>Reads the last line. Values between two percentiles are recorded as the second one, an upper bound.</summary>
    /// <exception cref="HdrHistogramFormatException">No line has the column names, or a line is too long.</exception>
    public static void Read(string name, TextReader input, NumberHistogram histogram, BadLines badLines)
    {
        TextLines lines = new(input);
        double[]? last = null;
        bool isLog = false;
        for (; lines.Read() is { } line; isLog |= IsLegend(line))
        {
            if (!isLog || line.AsSpan().TrimStart() is not [>= '0' and <= '9', ..])
            {
                continue;
            }

            double[] numbers = NumbersOf(line);
            if (IsValid(numbers) && (last is null || numbers[CountField] >= last[CountField]))
            {
                last = numbers;
            }
            else
            {
                badLines.Add(name, (ulong)lines.Number, "not the percentiles of an interval and of all intervals up to it");
            }
        }

        if (!isLog && lines.Number > 1)
        {
            throw new HdrHistogramFormatException(
                "The text contains no log of percentiles: no line has its column names", 0, lines.Number - 1);
        }

        if (last is not null)
        {
            if (last[CountField] > ulong.MaxValue - histogram.Histogram.TotalCount)
            {
                throw DistributionReader.CountOverflow(name);
            }

            Record(last, histogram);
        }
    }

    private static void Record(double[] numbers, NumberHistogram histogram)
    {
        ulong before = 0;
        double value = 0; // the maximum is the start of its bucket, and percentiles are ends
        for (int i = 0; i < Ranks.Length; i++)
        {
            ulong count = (ulong)decimal.Ceiling(Ranks[i] * (decimal)numbers[CountField]);
            value = Math.Max(value, numbers[CountField + 1 + i]);
            histogram.Record(value, count - before);
            before = count;
        }
    }

    private static double[] NumbersOf(string line)
    {
        List<double> numbers = [];
        foreach (string field in line.Split([' ', '\t', '(', ')', ':', ','], StringSplitOptions.RemoveEmptyEntries))
        {
            if (double.TryParse(field, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out double number)
                && number < NumberText.Limit)
            {
                numbers.Add(number);
            }
            else if (field is not ("I" or "T"))
            {
                return [];
            }
        }

        return [.. numbers];
    }

    private static bool IsValid(double[] numbers)
    {
        if (numbers.Length != FieldCount || numbers[CountField] != Math.Floor(numbers[CountField]) || numbers[CountField] > MaxCount)
        {
            return false;
        }

        double[] percentiles = numbers[(CountField + 1)..^1];
        return percentiles.SequenceEqual(percentiles.Order());
    }
}
