using Picollo.Benchmarks.Comparison;

namespace Picollo.Benchmarks.Cpu;

/// <summary><c>compare cpu</c>: everything at once, in under a minute.</summary>
internal static class CpuComparison
{
    public const string Name = "cpu";

    private const int Repetitions = 201;

    public static int Run(TextWriter output)
    {
        MachineInfo.Print(output);
        CpuRows rows = new();
        Dictionary<Contender, Figures> figures = Interleaver.Measure(rows.Contenders, Repetitions);
        TimeReport.Print(output, rows.Reading.Concat(rows.Machine), figures);
        AwaitRow.Print(output, rows.Awaits, figures);
        AllocationFacts.Print(output, rows);
        StepFacts.Print(output);
        return 0;
    }
}
