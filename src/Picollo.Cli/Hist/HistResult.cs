using Picollo.Export.Text;
using Picollo.Metrics;

namespace Picollo.Cli.Hist;

/// <summary>The results for one distribution, or for two distributions in the same unit.</summary>
/// <param name="inputs">One distribution, or the ones before and after a change.</param>
/// <param name="unit">The unit of the values; empty for none.</param>
/// <param name="scale">The factor that converts the inputs' numbers to the unit.</param>
internal sealed class HistResult(IReadOnlyList<Distribution> inputs, string unit, double scale)
{
    private const int MaxColumnNameLength = 24;
    private const int MaxTitleLength = 69; // of 80, without the text before, between and after names

    public IReadOnlyList<Distribution> Inputs => inputs;

    public IReadOnlyList<HdrHistogramSummary> Summaries { get; } = [.. inputs.Select(input => input.Histogram.GetSummary())];

    public string Unit => unit;

    public double Scale => scale;

    /// <summary>The divisor that converts recorded values to the unit.</summary>
    public double Ratio { get; } = inputs[0].RatioFor(scale);

    public bool HasFractions => inputs[0].Places > 0;

    public required ulong SkippedLineCount { get; init; }

    public required bool IsInterrupted { get; init; }

    /// <summary>The title that the user requested; null to use the names of the inputs.</summary>
    public required string? RequestedTitle { get; init; }

    public string Title => RequestedTitle ?? string.Join(" → ", Inputs.Select(input => input.Name));

    public bool IsDiff => Inputs.Count == 2;

    private string ShortTitle
    {
        get
        {
            int letters = (MaxTitleLength - Unit.Length) / Inputs.Count;
            string names = RequestedTitle ?? string.Join(" → ", Inputs.Select(input => Shorten(input.Name, letters)));
            return Unit.Length == 0 ? names : $"{names}, {Unit}";
        }
    }

    /// <param name="height">The height of the terminal in rows; null if the output is not a terminal.</param>
    public void Write(TextWriter output, int width, int? height)
    {
        HdrHistogramSummary first = Summaries[0];
        string[] names = ShortNames();
        SummaryTableOptions options = new(new() { Ratio = Ratio }, ShortTitle, names[0], names[^1])
        {
            OmitsMaximum = true,
            UsesRoundValues = HasFractions,
        };
        output.WriteLine(IsDiff ? first.ToDiffTable(Summaries[1], options) : first.ToTable(options));
        HdrHistogram[] histograms = [.. Inputs.Select(input => input.Histogram)];
        if (!histograms.Any(histogram => histogram.TotalCount > 0))
        {
            return; // interrupted before the first number was read
        }

        string axis = Unit.Length == 0 ? "value" : Unit;
        PercentileChart chart = new(histograms, Ratio, width, height);
        for (int i = 0; i < histograms.Length; i++)
        {
            chart.Write(output, histograms[i], IsDiff ? $"{names[i]}: {axis} at rank" : $"{axis} at rank");
        }
    }

    /// <summary>Returns the column headings: file names without folders if these are distinct, or else the full names.</summary>
    private string[] ShortNames()
    {
        string[] names = [.. Inputs.Select(input => input.Name)];
        string[] files = [.. names.Select(name => name.Contains(", ", StringComparison.Ordinal) ? name : Path.GetFileName(name))];
        return FittedNames.From(files.Distinct().Count() == names.Length ? files : names, MaxColumnNameLength);
    }

    // Keep the end of a name, because names usually differ there.
    private static string Shorten(string name, int length) =>
        name.Length <= length ? name : $"…{name.AsSpan(name.Length - Math.Max(length - 1, 8))}";
}
