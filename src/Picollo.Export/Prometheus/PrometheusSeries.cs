namespace Picollo.Export;

/// <summary>A registration as a series of an exposition. The constant parts of its lines are rendered once.</summary>
internal sealed class PrometheusSeries
{
    private readonly byte[] _bucket; // up to the bound: name_bucket{label="value",le="
    private readonly byte[] _sum;
    private readonly byte[] _count;

    public PrometheusSeries(HdrHistogramRegistration registration, PrometheusBounds bounds)
    {
        (Registration, Bounds) = (registration, bounds);
        HdrHistogramDescription description = registration.Description;
        Name = PrometheusNames.NameOf(registration.Name, description.Unit.Name);
        Labels = PrometheusNames.LabelsOf(registration.Labels);
        _bucket = Encoding.UTF8.GetBytes($"{Name}_bucket{{{Labels}{(Labels.Length == 0 ? "" : ",")}le=\"");
        string braced = Labels.Length == 0 ? "" : $"{{{Labels}}}";
        _sum = Encoding.UTF8.GetBytes($"{Name}_sum{braced} ");
        _count = Encoding.UTF8.GetBytes($"{Name}_count{braced} ");
        Owner = PrometheusNames.OwnerOf(Name);
        Lines = PrometheusNames.LinesOf(Name);
    }

    private static ReadOnlySpan<byte> Infinity => "+Inf\"} "u8;

    private static ReadOnlySpan<byte> EndOfLine => "\n"u8;

    public HdrHistogramRegistration Registration { get; }

    public PrometheusBounds Bounds { get; }

    public string Name { get; }

    /// <summary>The labels as text. Together with the name, they identify the series.</summary>
    public string Labels { get; }

    public string Help => Registration.Description.Help is { Length: > 0 } help ? help : Registration.Name;

    /// <summary>The unit if the name has it as a suffix; otherwise, null.</summary>
    public string? Unit => Registration.Description.Unit.Name is { Length: > 0 } unit
        && PrometheusNames.SuffixOf(unit) is var suffix && Name.EndsWith(suffix, StringComparison.Ordinal) ? suffix[1..] : null;

    /// <summary>The exemplars of recorded values. The last one has the largest value.</summary>
    public IReadOnlyList<Exemplar> Exemplars => Registration.OwnerFacts.Exemplars?.Invoke() ?? [];

    /// <summary>The name of the histogram, if one exists, whose lines would have this name; otherwise, null.</summary>
    public string? Owner { get; }

    /// <summary>The names that no other metric may have (<see cref="PrometheusNames.LinesOf"/>).</summary>
    public string[] Lines { get; }

    /// <summary>Returns the value of an exemplar, in the display unit.</summary>
    public double ValueOf(in Exemplar exemplar) => exemplar.Value / Registration.Description.Unit.Ratio;

    /// <summary>Writes the lines for counts that were read. The line of a bucket has the exemplar with the largest value in the
    /// bucket.</summary>
    public void Write(ref Utf8Lines lines, HdrHistogramCounts counts, bool hasExemplars)
    {
        IReadOnlyList<Exemplar> exemplars = hasExemplars ? Exemplars : [];
        int next = 0;
        CumulativeCounts cumulative = new(Bounds, counts);
        for (int i = 0; i < Bounds.Count; i++)
        {
            int first = next;
            while (next < exemplars.Count && ValueOf(exemplars[next]) <= Bounds.ValueOf(i))
            {
                next++;
            }

            lines.WriteLine(_bucket, Bounds.TextOf(i), cumulative.UpTo(i), next > first ? TextOf(exemplars[next - 1]) : []);
        }

        ulong all = cumulative.All;
        lines.WriteLine(_bucket, Infinity, all, next < exemplars.Count ? TextOf(exemplars[^1]) : []);

        lines.Reserve(_sum.Length + Utf8Lines.NumberLength + EndOfLine.Length);
        lines.Write(_sum);
        lines.Write(Registration.SumOf(counts));
        lines.Write(EndOfLine);
        lines.WriteLine(_count, [], all, []);
    }

    private byte[] TextOf(in Exemplar exemplar) => Encoding.UTF8.GetBytes(string.Create(
        CultureInfo.InvariantCulture,
        $" # {{{Exemplar.TraceIdLabel}=\"{exemplar.TraceId}\",{Exemplar.SpanIdLabel}=\"{exemplar.SpanId}\"}} {ValueOf(exemplar):R} "
        + $"{exemplar.Time.ToUnixTimeMilliseconds() / 1e3:F3}"));
}
