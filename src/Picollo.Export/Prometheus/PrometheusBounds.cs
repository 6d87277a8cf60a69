namespace Picollo.Export;

/// <summary>
/// The bounds of a histogram in an exposition, and the number of counters up to each bound. They depend on the layout and the range of the
/// histogram and on the description, but not on the recorded values, so they are equal in every process.
/// </summary>
/// <remarks>
/// A bound is inclusive, so it is the last value of a bucket of the coarser layout. Such a bucket consists of whole buckets of the
/// histogram, because block sizes are powers of two, so counts need not be split. If the histogram's range starts or ends within a coarser
/// bucket, the limit of the range is the bound. The bound before the first bucket counts values below the range.
/// </remarks>
internal sealed class PrometheusBounds
{
    private readonly List<int> _ends = [];
    private readonly List<double> _values = [];
    private readonly List<byte[]> _texts = [];

    public PrometheusBounds(ReadOnlyHdrHistogram histogram, HdrHistogramDescription description, double relativeError)
    {
        HdrHistogramLayout own = histogram.Layout;
        HdrHistogramLayout layout = new(Math.Max(relativeError, own.RelativeError), own.LowestDiscernibleValue);
        (ulong rangeStart, ulong rangeEnd) = RegisteredHistogram.RangeOf(histogram);
        ulong low = Math.Max(layout.GetStart(layout.GetIndex(description.LowestBound)), rangeStart);
        ulong high = Math.Min(layout.GetEnd(layout.GetIndex(description.HighestBound)), rangeEnd);
        if (low > high)
        {
            return; // no recordable value is between the description's bounds: only +Inf
        }

        if (low > 0)
        {
            Add(low - 1);
        }

        ulong bound = low - 1; // wraps for 0, and bound + 1 wraps back: the next bucket starts there
        do
        {
            bound = Math.Min(layout.GetEnd(layout.GetIndex(bound + 1)), high);
            Add(bound);
        }
        while (bound != high);

        void Add(ulong limit)
        {
            // Two bounds never convert to the same double, because they differ in their first 21 bits. No bound exceeds the range of
            // doubles, because ratios are bounded.
            double value = limit / description.Unit.Ratio;
            _ends.Add(own.GetIndex(limit) + 1);
            _values.Add(value);
            _texts.Add(Encoding.ASCII.GetBytes(TextOf(value) + "\"} "));
        }
    }

    /// <summary>The number of bounds, without +Inf.</summary>
    public int Count => _ends.Count;

    /// <summary>Returns the index in the layout after the last counter at or below a bound.</summary>
    public int EndOf(int bound) => _ends[bound];

    /// <summary>Returns a bound in the display unit.</summary>
    public double ValueOf(int bound) => _values[bound];

    /// <summary>Returns the text of a bound in a line, up to the count: <c>0.001"} </c>.</summary>
    public ReadOnlySpan<byte> TextOf(int bound) => _texts[bound];

    /// <summary>Returns a bound as a label: the shortest decimal that parses to the same number, in the format that OpenMetrics requires
    /// and Prometheus uses for the bounds of protobuf (<c>%g</c> of Go, with a decimal point in whole numbers). A series therefore has the
    /// same labels in all formats.</summary>
    internal static string TextOf(double value)
    {
        const double MinWithExponent = 1e6; // .NET uses exponents from 1e15 on
        string text = value.ToString("R", CultureInfo.InvariantCulture);
        if (value >= MinWithExponent && !text.Contains('E', StringComparison.Ordinal))
        {
            int exponent = text.IndexOf('.', StringComparison.Ordinal) is >= 0 and var point ? point - 1 : text.Length - 1;
            string digits = text.Replace(".", "", StringComparison.Ordinal).TrimEnd('0');
            text = string.Create(CultureInfo.InvariantCulture, $"{digits[0]}{(digits.Length > 1 ? "." : "")}{digits[1..]}E+{exponent:00}");
        }

        return text.AsSpan().ContainsAny('E', '.') ? text.Replace('E', 'e') : text + ".0";
    }
}

/// <summary>Computes the number of values up to each bound, in ascending order.</summary>
internal struct CumulativeCounts(PrometheusBounds bounds, HdrHistogramCounts counts)
{
    private ulong _count = counts.CountBelowRange;
    private int _from;

    /// <summary>The number of all values. It must be read after the last bound.</summary>
    public readonly ulong All => _count + counts.GetCount(_from, int.MaxValue) + counts.CountAboveRange;

    /// <summary>Returns the number of values up to a bound, which must be the bound after that of the last call.</summary>
    public ulong UpTo(int bound)
    {
        int to = bounds.EndOf(bound);
        _count += counts.GetCount(_from, to);
        _from = to;
        return _count;
    }
}
