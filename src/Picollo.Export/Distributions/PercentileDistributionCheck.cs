using Picollo.Export.Text;

namespace Picollo.Export;

/// <summary>Checks the numbers of a percentile distribution against each other, one line at a time.</summary>
/// <remarks>
/// <para>A distribution lists the first value whose count reaches a rank. Thus the count of a line is at least its rank times the total
/// count, and the count of a line with a smaller value is less than that. Each line therefore limits the total count, which is known only
/// at the end.</para>
/// <para>The checks allow for the rounding of all printed numbers, and for a count that is itself rounded from the rank, as in vegeta. Two
/// numbers of the footer are not checked: the Python library does not scale the standard deviation, and the Rust library prints another
/// number as the number of buckets.</para>
/// </remarks>
internal sealed class PercentileDistributionCheck
{
    private const double CountError = 0.5;
    private const double RelativeError = 1e-9; // of sums and products here and in the programs that write distributions
    private const double ValueLimit = 18_446_744_073_709_551_616d;

    private (string Line, long Number)? _mean;
    private (string Line, long Number)? _max;
    private PercentileNumbers _last;
    private PrintedNumber? _below; // the largest value that is less than the last one
    private double _first; // the smallest value
    private double _minStep = double.PositiveInfinity; // the smallest difference of two values
    private double _minSum;
    private double _maxSum;
    private double _minTotal;
    private double _maxTotal = double.PositiveInfinity;
    private long _minTotalLine;
    private long _maxTotalLine;
    private long _line;

    public bool IsEmpty => _line == 0;

    /// <summary>Whether the last line has the rank 1, or the distribution is empty.</summary>
    public bool IsComplete => IsEmpty || _last.Rank.Max >= 1;

    /// <summary>Returns whether a line is part of a footer, such as <c>#[Mean = 3.0, StdDeviation = 1.0]</c>.</summary>
    public static bool IsFooter(string line) => IsMean(line) || IsMax(line) || IsNamed(line, "Buckets");

    /// <summary>Checks a line of numbers.</summary>
    /// <exception cref="HdrHistogramFormatException">The line contradicts itself or a line before it.</exception>
    public void Add(in PercentileNumbers numbers, long line)
    {
        PrintedNumber value = numbers.Value, rank = numbers.Rank;
        if (value.Value < _last.Value.Value || rank.Value < _last.Rank.Value || numbers.TotalCount < _last.TotalCount)
        {
            throw Wrong(line, $"The line has a smaller value, rank or count than the line before it");
        }

        if (value.Value >= ValueLimit)
        {
            throw Wrong(line, $"The value is 2^64 or more");
        }

        if (numbers.Inverse is { } inverse
            && (inverse.Max * (1 + RelativeError) < 1 / (1 - rank.Min)
                || (rank.Max < 1 && inverse.Min * (1 - RelativeError) > 1 / (1 - rank.Max))))
        {
            throw Wrong(line, $"The last column is {inverse.Value}, which is not 1/(1-{rank.Value})");
        }

        if (rank.Min > 0 && (numbers.TotalCount + CountError) / rank.Min is var maxTotal && maxTotal < _maxTotal)
        {
            (_maxTotal, _maxTotalLine) = (maxTotal, line);
        }

        if (!IsEmpty && value.Value > _last.Value.Value)
        {
            _below = _last.Value;
            _minStep = Math.Min(_minStep, value.Max - _last.Value.Min);
            if ((_last.TotalCount - CountError) / rank.Max is var minTotal && minTotal > _minTotal)
            {
                (_minTotal, _minTotalLine) = (minTotal, line);
            }
        }

        _first = IsEmpty ? value.Max : _first;
        double count = numbers.TotalCount - _last.TotalCount;
        _minSum += count * Math.Max(_last.Value.Min, 0);
        _maxSum += count * value.Max;
        _last = numbers;
        _line = line;
    }

    /// <summary>Keeps a line of the footer until the distribution is complete.</summary>
    public void AddFooter(string line, long number)
    {
        if (IsMean(line))
        {
            _mean ??= (line, number);
        }
        else if (IsMax(line))
        {
            _max ??= (line, number);
        }
    }

    /// <summary>Creates the error of a distribution whose last line does not have the rank 1.</summary>
    public HdrHistogramFormatException Incomplete() =>
        Wrong(_line, $"The distribution is incomplete: it ends at the rank {_last.Rank.Value}");

    /// <summary>Checks the whole distribution.</summary>
    /// <exception cref="HdrHistogramFormatException">The distribution is incomplete, or a line contradicts the rest.</exception>
    public void Complete(char decimalSeparator)
    {
        double total = _last.TotalCount;
        if (!IsComplete)
        {
            throw Incomplete();
        }

        if (total > _maxTotal * (1 + RelativeError))
        {
            throw Wrong(_maxTotalLine, $"The count is too small for its rank: the total count is {_last.TotalCount}");
        }

        if (total < _minTotal * (1 - RelativeError))
        {
            throw Wrong(_minTotalLine, $"The count of the line before is too large for this rank: the total count is {_last.TotalCount}");
        }

        if (_mean is { } mean)
        {
            CheckMean(mean.Line, mean.Number, decimalSeparator);
        }

        if (_max is { } max)
        {
            CheckMax(max.Line, max.Number, decimalSeparator);
        }
    }

    private static bool IsMean(string line) => IsNamed(line, "Mean");

    private static bool IsMax(string line) => IsNamed(line, "Max");

    private static bool IsNamed(string line, string name) =>
        line.AsSpan().TrimStart('#') is ['[', .. var rest] && rest.StartsWith(name, StringComparison.Ordinal) && rest.Count('=') == 2;

    // Numbers that are not finite are words, and an empty distribution has no mean.
    private void CheckMean(string line, long number, char decimalSeparator)
    {
        double total = _last.TotalCount;
        if (PrintedNumber.TryParse(FirstOf(line), decimalSeparator, out PrintedNumber mean) && total > 0
            && (mean.Max * total * (1 + RelativeError) < _minSum || mean.Min * total * (1 - RelativeError) > _maxSum))
        {
            throw Wrong(number, $"The mean is {mean.Value}, but the values allow {_minSum / total:G6} to {_maxSum / total:G6}");
        }
    }

    // The maximum is the start or the end of the last bucket. The JavaScript library adds the unit of the histogram less 1 to the largest
    // value. All buckets end 1 below a multiple of the unit.
    private void CheckMax(string line, long number, char decimalSeparator)
    {
        if (PrintedNumber.TryParse(FirstOf(line), decimalSeparator, out PrintedNumber max) && !IsEmpty
            && (max.Max < _below?.Min
                || (max.Min - _last.Value.Max is > 0 and var above && (above > _first || above >= _minStep))))
        {
            throw Wrong(number, $"The maximum {max.Value} is not in the last bucket, which ends at {_last.Value.Value}");
        }

        if (PrintedNumber.TryParse(line.Split('=')[2].Split(']')[0].Trim(), decimalSeparator, out PrintedNumber total)
            && total.Value != _last.TotalCount)
        {
            throw Wrong(number, $"The total count {total.Value} is not the count of the last line, {_last.TotalCount}");
        }
    }

    private static string FirstOf(string line)
    {
        string part = line.Split('=')[1];
        return part[..Math.Max(part.LastIndexOf(','), 0)].Trim();
    }

    private static HdrHistogramFormatException Wrong(long line, FormattableString problem) =>
        new(FormattableString.Invariant(problem), 0, line);
}
