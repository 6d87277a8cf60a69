using Picollo.Benchmarks.Comparison;

namespace Picollo.Benchmarks.Histogram;

/// <summary><c>compare histogram</c>: everything at once, in one process.</summary>
internal static class HistogramComparison
{
    public const string Name = "histogram";

    private const int Repetitions = 31;

    public static void Run(TextWriter output)
    {
        MachineInfo.Print(output);
        List<Row> rows = HistogramRows.Create(others: true);
        Dictionary<Contender, Figures> figures = Interleaver.Measure([.. rows.Select(row => row.Measured)], Repetitions);
        TimeReport.Print(output, rows, figures);
    }
}
