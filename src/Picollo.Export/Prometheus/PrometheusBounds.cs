using System.Text;

namespace Picollo.Export;

/// <summary>
/// The bounds between which a histogram's values are counted in an exposition, and the counters that lie up to each of them.
/// Depends on the histogram's layout and range and on the description, never on what was recorded: every process has the same.
/// </summary>
/// <remarks>
/// A bound is inclusive, so it is the last value of a bucket of the coarser layout. Such a bucket is made of whole buckets of
/// the histogram (block sizes are powers of two), so that no count is divided. Where the histogram's range begins or ends within
/// a coarser bucket the bound is the range's. Before the first bucket comes the bound that what is too small lies under.
/// </remarks>
internal sealed class PrometheusBounds
{
    private readonly List<int> _ends = [];
    private readonly List<double> _values = [];
    private readonly List<byte[]> _texts = [];

    public PrometheusBounds(ReadOnlyHdrHistogram histogram, HdrHistogramDescription description, double relativeError)
    {
        HdrLayout own = histogram.Layout;
        HdrLayout layout = new(Math.Max(relativeError, own.RelativeError), own.UnitScale);
        (ulong rangeStart, ulong rangeEnd) = RegisteredHistogram.RangeOf(histogram);
        ulong low = Math.Max(layout.StartOf(layout.IndexOf(description.LowestBound)), rangeStart);
        ulong high = Math.Min(layout.UpperBoundOf(description.HighestBound), rangeEnd);
        if (low > high)
        {
            return; // nothing that can be recorded lies between the description's bounds: +Inf alone
        }

        if (low > 0)
        {
            Add(low - 1);
        }

        ulong bound = low - 1; // of 0 it wraps, and back: the next bucket begins at bound + 1
        do
        {
            bound = Math.Min(layout.UpperBoundOf(bound + 1), high);
            Add(bound);
        }
        while (bound != high);

        void Add(ulong limit)
        {
            // Two bounds never become one number: they differ in their first 21 bits. Nor is one too large for a number, as ratios are
            // bounded.
            double value = limit / description.Unit.Ratio;
            _ends.Add(limit < rangeStart ? 0 : (int)(own.IndexOf(limit) - histogram.FirstIndex) + 1);
            _values.Add(value);
            _texts.Add(Encoding.ASCII.GetBytes(TextOf(value) + "\"} "));
        }
    }

    /// <summary>How many there are, +Inf not counted.</summary>
    public int Count => _ends.Count;

    /// <summary>The index after the last counter at or below a bound.</summary>
    public int EndOf(int bound) => _ends[bound];

    /// <summary>A bound in the unit that is shown.</summary>
    public double ValueOf(int bound) => _values[bound];

    /// <summary>A bound's value as it is in a line, up to the count: <c>0.001"} </c>.</summary>
    public ReadOnlySpan<byte> TextOf(int bound) => _texts[bound];

    /// <summary>A bound as a label: the shortest decimal that is read as the same number, in the form that OpenMetrics demands and
    /// Prometheus gives to the bounds of protobuf (Go's <c>%g</c>, with a point in whole numbers). A series has the same labels in all
    /// formats.</summary>
    internal static string TextOf(double value)
    {
        const double LeastWithExponent = 1e6; // .NET begins at 1e15
        string text = value.ToString("R", CultureInfo.InvariantCulture);
        if (value >= LeastWithExponent && !text.Contains('E', StringComparison.Ordinal))
        {
            int exponent = text.IndexOf('.', StringComparison.Ordinal) is >= 0 and var point ? point - 1 : text.Length - 1;
            string digits = text.Replace(".", "", StringComparison.Ordinal).TrimEnd('0');
            text = string.Create(CultureInfo.InvariantCulture, $"{digits[0]}{(digits.Length > 1 ? "." : "")}{digits[1..]}E+{exponent:00}");
        }

        return text.AsSpan().ContainsAny('E', '.') ? text.Replace('E', 'e') : text + ".0";
    }
}

/// <summary>The number of values up to each bound, in ascending order.</summary>
internal struct CumulativeCounts(PrometheusBounds bounds, CountsCopy copy)
{
    private ulong _count = copy.Underflow;
    private int _from;

    /// <summary>The number of all values. Read after the last bound.</summary>
    public readonly ulong All => _count + copy.SumOfUsed(_from, copy.Counts.Length) + copy.Overflow;

    /// <summary>The number of values up to a bound, which must be the one after that of the last call.</summary>
    public ulong UpTo(int bound)
    {
        int to = bounds.EndOf(bound);
        _count += copy.SumOfUsed(_from, to);
        _from = to;
        return _count;
    }
}
