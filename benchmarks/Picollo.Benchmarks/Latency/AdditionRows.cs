using Picollo.AspNetCore.Measuring;
using Picollo.Cpu;
using Row = Picollo.Benchmarks.Comparison.Row;

namespace Picollo.Benchmarks.Latency;

/// <summary>Measures adding the states of a request to its row: an addition for each state and one
/// for the number, at worst by all threads to the same band.</summary>
internal static class AdditionRows
{
    private const int Repetitions = 201;

    public static void Print(TextWriter output)
    {
        LatencyMatrix matrix = new();
        Add one = new(matrix);
        const string Section = "The states of a request, added to its row";
        List<Row> rows = [new(Section, one), new(Section, new ParallelContender(new Add(matrix)), one)];
        TimeReport.Print(output, rows, Interleaver.Measure([.. rows.Select(row => row.Measured)], Repetitions));
    }

    private sealed class Add(LatencyMatrix matrix) : Contender("all nine states", 1_000)
    {
        private const LatencyStates Present = (LatencyStates)((1 << ((int)LatencyState.Await + 1)) - 1);

        private static readonly LatencyBreakdown Breakdown = new(
            new LatencyTimes(1_000, Kernel: 400, 1_000, 1_000, 1_000, 1_000, 1_000, 1_000), Present, estimated: 0);

        [MethodImpl(MethodImplOptions.NoInlining)]
        public override void Run(int operations)
        {
            for (int i = 0; i < operations; i++)
            {
                matrix.Add(Breakdown);
            }
        }

        public override void Verify()
        {
            long before = matrix.Read().Count;
            Run(1);
            Require(matrix.Read().Count == before + 1, "the request was not added.");
        }
    }
}
