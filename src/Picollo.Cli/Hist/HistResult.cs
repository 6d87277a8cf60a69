using Picollo.Export.Plots;
using Picollo.Metrics;

namespace Picollo.Cli.Hist;

/// <summary>The results: one distribution, or two in the same unit.</summary>
/// <param name="inputs">One, or the one before and the one after.</param>
/// <param name="unit">The unit of the values; empty for none.</param>
/// <param name="scale">The factor that converts the inputs' numbers to the unit.</param>
internal sealed class HistResult(IReadOnlyList<Distribution> inputs, string unit, double scale)
{
    private const int MostLettersOfColumn = 24;
    private const int MostLetters = 69; // of 80, without the text before, between and after names

    public IReadOnlyList<Distribution> Inputs => inputs;

    public IReadOnlyList<HdrHistogramSummary> Summaries { get; } = [.. inputs.Select(input => input.Histogram.GetSummary())];

    public string Unit => unit;

    public double Scale => scale;

    /// <summary>The divisor that converts recorded values to the unit.</summary>
    public double Ratio { get; } = inputs[0].RatioFor(scale);

    /// <summary>Whether the inputs have numbers that are not whole.</summary>
    public bool HasFractions => inputs[0].Places > 0;

    public required ulong SkippedLineCount { get; init; }

    public required bool IsInterrupted { get; init; }

    /// <summary>The heading that was asked for; null for what was read.</summary>
    public required string? AskedTitle { get; init; }

    /// <summary>The heading of plots and pages.</summary>
    public string Title => AskedTitle ?? string.Join(" → ", Inputs.Select(input => input.Name));

    public bool IsDiff => Inputs.Count == 2;

    /// <summary>The heading of the table: names and unit, shortened to fit on a line.</summary>
    private string ShortTitle
    {
        get
        {
            int letters = (MostLetters - Unit.Length) / Inputs.Count;
            string names = AskedTitle ?? string.Join(" → ", Inputs.Select(input => Shorten(input.Name, letters)));
            return Unit.Length == 0 ? names : $"{names}, {Unit}";
        }
    }

    /// <summary>Writes the tables of the library, and the percentiles as a chart.</summary>
    /// <param name="height">Of the terminal; null if it is none.</param>
    public void Write(TextWriter output, int width, int? height)
    {
        HdrHistogramSummary first = Summaries[0];
        string[] names = ShortNames();
        HdrHistogramTableOptions options = new()
        {
            Title = ShortTitle,
            Before = names[0],
            After = names[^1],
            Unit = new() { Ratio = Ratio },
            LeavesOutMaximum = true,
            HasRoundValues = HasFractions,
        };
        output.WriteLine(IsDiff ? first.ToDiffTable(Summaries[1], options) : first.ToTable(options));
        HdrHistogram[] histograms = [.. Inputs.Select(input => input.Histogram)];
        if (!histograms.Any(one => one.TotalCount > 0))
        {
            return; // interrupted before the first number
        }

        string axis = Unit.Length == 0 ? "value" : Unit;
        PercentileChart chart = new(histograms, Ratio, width, height);
        for (int i = 0; i < histograms.Length; i++)
        {
            chart.Write(output, histograms[i], IsDiff ? $"{names[i]}: {axis} at rank" : $"{axis} at rank");
        }
    }

    /// <summary>Headings of columns: the names of files without their folders, if that distinguishes them.</summary>
    private string[] ShortNames()
    {
        string[] names = [.. Inputs.Select(input => input.Name)];
        string[] files = [.. names.Select(name => name.Contains(", ", StringComparison.Ordinal) ? name : Path.GetFileName(name))];
        return PlotNames.Shorten(files.Distinct().Count() == names.Length ? files : names, MostLettersOfColumn);
    }

    // Names differ at their ends.
    private static string Shorten(string name, int length) =>
        name.Length <= length ? name : $"…{name.AsSpan(name.Length - Math.Max(length - 1, 8))}";
}
