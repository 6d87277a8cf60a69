using Picollo.Benchmarks.Comparison;

namespace Picollo.Benchmarks.Histogram;

/// <summary><c>compare histogram</c>: everything at once, in under three minutes.</summary>
internal static class HistogramComparison
{
    public const string Name = "histogram";

    /// <summary>Measure this process and print bare figures: what the comparison asks its other processes for.</summary>
    public const string FiguresOnly = "--figures";

    private const int Repetitions = 201;

    /// <summary>Fewer in the other processes, which have no verdict to give.</summary>
    private const int FewRepetitions = 101;

    public static int PrintFigures(TextWriter output)
    {
        (List<Row> few, Dictionary<Contender, Figures> figures) = Measure(others: false, FewRepetitions);
        FigureLines.Write(output, few, figures);
        return 0;
    }

    public static int Run(TextWriter output)
    {
        MachineInfo.Print(output);
        (List<Row> rows, Dictionary<Contender, Figures> measured) = Measure(others: true, Repetitions);
        TimeReport.Print(output, rows, measured);
        AllocationFacts.Print(output);
        FootprintFacts.Print(output);
        output.WriteLine();
        output.WriteLine("In processes of their own. \"No tier-up\": as in a process that has just started; methods that the precompiler left out,");
        output.WriteLine("which are those of generic types over uint and ulong, run as the JIT's unoptimised code.");
        ModeReport.Print(output, rows, OtherModes.Measure(["compare", Name, FiguresOnly]));
        return 0;
    }

    private static (List<Row> Rows, Dictionary<Contender, Figures> Figures) Measure(bool others, int repetitions)
    {
        List<Row> rows = HistogramRows.Create(others);
        return (rows, Interleaver.Measure([.. rows.Select(row => row.Measured)], repetitions));
    }
}
