using System.Text;

namespace Picollo.Export;

/// <summary>A registration as a series of an exposition: what stays the same in its lines, rendered once.</summary>
internal sealed class PrometheusSeries
{
    private readonly byte[] _header;
    private readonly byte[] _bucket; // up to the bound: name_bucket{label="value",le="
    private readonly byte[] _sum;
    private readonly byte[] _count;
    private readonly byte[] _comment; // up to the reason; a name at its begin could make it a line of its own kind, such as "TYPE x"

    public PrometheusSeries(HdrHistogramRegistration registration, PrometheusBounds bounds)
    {
        (Registration, Bounds) = (registration, bounds);
        HdrHistogramDescription description = registration.Description;
        Name = PrometheusNames.NameOf(registration.Name, description.Unit.Name);
        Labels = PrometheusNames.LabelsOf(registration.Labels);
        string help = PrometheusNames.EscapeHelp(description.Help.Length == 0 ? registration.Name : description.Help);
        _header = Encoding.UTF8.GetBytes($"# HELP {Name} {help}\n# TYPE {Name} histogram\n");
        _bucket = Encoding.UTF8.GetBytes($"{Name}_bucket{{{Labels}{(Labels.Length == 0 ? "" : ",")}le=\"");
        string braced = Labels.Length == 0 ? "" : $"{{{Labels}}}";
        _sum = Encoding.UTF8.GetBytes($"{Name}_sum{braced} ");
        _count = Encoding.UTF8.GetBytes($"{Name}_count{braced} ");
        _comment = Encoding.UTF8.GetBytes($"# The histogram {PrometheusNames.EscapeHelp(registration.ToString())} is left out: ");
        Owner = PrometheusNames.OwnerOf(Name);
    }

    private static ReadOnlySpan<byte> Infinity => "+Inf\"} "u8;

    private static ReadOnlySpan<byte> EndOfLine => "\n"u8;

    public HdrHistogramRegistration Registration { get; }

    public PrometheusBounds Bounds { get; }

    /// <summary>The metric's name.</summary>
    public string Name { get; }

    /// <summary>The labels as text; with the name they are the series' identity.</summary>
    public string Labels { get; }

    /// <summary>The histogram, if there is one, whose lines have this name; else null.</summary>
    public string? Owner { get; }

    /// <summary>Writes what stands before the first series of a name.</summary>
    public void WriteHeader(ref Utf8Lines lines)
    {
        lines.Reserve(_header.Length);
        lines.Write(_header);
    }

    /// <summary>Writes a comment instead of the series.</summary>
    public void WriteLeftOut(ref Utf8Lines lines, ReadOnlySpan<byte> reason)
    {
        lines.Reserve(_comment.Length + reason.Length + EndOfLine.Length);
        lines.Write(_comment);
        lines.Write(reason);
        lines.Write(EndOfLine);
    }

    /// <summary>Takes a copy of the counters.</summary>
    /// <returns>False if the histogram is disposed.</returns>
    public bool TryRead(out CountsCopy copy)
    {
        try
        {
            copy = Registration.Histogram.ReadUsed();
            return true;
        }
        catch (ObjectDisposedException)
        {
            copy = default;
            return false;
        }
    }

    /// <summary>The sum of all values, in the unit that is shown.</summary>
    public double SumOf(CountsCopy copy)
    {
        double sum = Registration.ExactSum is { } exact
            ? exact()
            : Registration.Histogram.SumOf(copy)
                + ((double)copy.Underflow * Bounds.RangeStart)
                + ((double)copy.Overflow * Bounds.RangeEnd);
        return sum / Registration.Description.Unit.Ratio;
    }

    /// <summary>Writes the lines of a copy of the counters.</summary>
    public void Write(ref Utf8Lines lines, CountsCopy copy)
    {
        ulong count = copy.Underflow;
        int from = 0;
        for (int i = 0; i < Bounds.Count; i++)
        {
            int to = Bounds.EndOf(i);
            count += copy.SumOfUsed(from, to);
            from = to;
            lines.WriteLine(_bucket, Bounds.TextOf(i), count);
        }

        count += copy.SumOfUsed(from, copy.Counts.Length) + copy.Overflow;
        lines.WriteLine(_bucket, Infinity, count);

        lines.Reserve(_sum.Length + Utf8Lines.NumberLength + EndOfLine.Length);
        lines.Write(_sum);
        lines.Write(SumOf(copy));
        lines.Write(EndOfLine);
        lines.WriteLine(_count, [], count);
    }
}
