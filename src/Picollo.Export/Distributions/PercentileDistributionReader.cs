namespace Picollo.Export;

/// <summary>Reads a percentile distribution (<c>.hgrm</c> or CSV) from a text that can also contain other lines, such as the complete
/// output of a load generator.</summary>
/// <remarks>
/// <para>A line of column names starts the distribution. The first line after it that is not a line of numbers ends it. Comments and blank
/// lines are ignored everywhere. Without column names, the first line must be a line of numbers.</para>
/// <para>The distribution is checked against itself, with the errors that rounding allows (<see cref="PercentileDistributionCheck"/>). A
/// text can contain only one distribution, except that of wrk2, which prints the uncorrected latencies after the recorded ones on request.
/// They are not read.</para>
/// </remarks>
internal sealed class PercentileDistributionReader(TextReader input)
{
    private readonly TextLines _lines = new(input);
    private readonly PercentileDistributionCheck _check = new();
    private PercentileColumns? _columns;
    private bool _isEnded; // the line after the distribution was read

    /// <summary>The line at which the uncorrected latencies of wrk2 start, which are not read; null if there are none.</summary>
    public long? UncorrectedLine { get; private set; }

    /// <summary>Reads the distribution, one line at a time, in the unit in which it was written.</summary>
    /// <exception cref="HdrHistogramFormatException">There is no distribution, it is incomplete, or its numbers contradict each
    /// other.</exception>
    public IEnumerable<PercentileDistributionLine> Read()
    {
        bool isUncorrected = false;
        long? text = null; // the first line that is neither a comment nor part of a distribution
        while (_lines.Read() is { } line)
        {
            string content = line.Trim();
            if (content.Length == 0)
            {
                continue;
            }

            if (PercentileColumns.OfHeading(content) is { } columns)
            {
                Start(columns, isUncorrected);
            }
            else if (PercentileDistributionCheck.IsFooter(content))
            {
                if (_columns is not null && UncorrectedLine is null)
                {
                    End();
                    _check.AddFooter(content, _lines.Number);
                }
            }
            else if (content[0] != '#')
            {
                isUncorrected = content.Contains("HdrHistogram - ", StringComparison.Ordinal)
                    ? content.Contains("HdrHistogram - Uncorrected", StringComparison.Ordinal)
                    : isUncorrected;
                if (text is null && _columns is null)
                {
                    PercentileColumns usual = PercentileColumns.OfData(content);
                    _columns = usual.TryParse(content, out _) ? usual : null;
                }

                if (_columns is { } known && !_isEnded)
                {
                    if (known.TryParse(content, out PercentileNumbers numbers))
                    {
                        _check.Add(numbers, _lines.Number);
                        yield return new(numbers.Value.Value, numbers.Rank.Value, numbers.TotalCount);
                        continue;
                    }

                    EndAt(line);
                }

                text ??= _lines.Number;
            }
        }

        if (_columns is not null)
        {
            _check.Complete(_columns.DecimalSeparator ?? '.');
        }
        else if (text is { } first)
        {
            throw new HdrHistogramFormatException(
                "The text contains no percentile distribution: no line has the column names Value, Percentile and TotalCount", 0, first);
        }
    }

    private void Start(PercentileColumns columns, bool isUncorrected)
    {
        if (_columns is null)
        {
            _columns = columns;
            return;
        }

        End();
        UncorrectedLine = isUncorrected && UncorrectedLine is null
            ? _lines.Number
            : throw new HdrHistogramFormatException("A second distribution starts; an input can contain only one", 0, _lines.Number);
    }

    private void EndAt(string line)
    {
        if (_check.IsEmpty || !_check.IsComplete)
        {
            throw new HdrHistogramFormatException(
                "The line does not start with a value, a rank and a count", line.Length - line.TrimStart().Length, _lines.Number);
        }

        _isEnded = true;
    }

    private void End()
    {
        if (!_check.IsComplete)
        {
            throw _check.Incomplete();
        }

        _isEnded = true;
    }
}
