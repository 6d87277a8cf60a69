using Picollo.AspNetCore.Measuring;
using Picollo.Cpu;
using Row = Picollo.Benchmarks.Comparison.Row;

namespace Picollo.Benchmarks.AspNet;

/// <summary>Measures adding a request to the list of running requests and removing it.</summary>
internal static class RunningRows
{
    private const int Repetitions = 201;
    private const double LimitNanoseconds = 100;

    public static void Print(TextWriter output)
    {
        RunList list = new();
        AddAndRemove one = new(list), several = new(list);
        const string Section = "The list of running requests";
        List<Row> rows =
        [
            new(Section, one, LimitNanoseconds: LimitNanoseconds),
            new(Section, new ParallelContender(several), one, LimitNanoseconds: LimitNanoseconds),
        ];
        TimeReport.Print(output, rows, Interleaver.Measure([.. rows.Select(row => row.Measured)], Repetitions));
    }

    private sealed class AddAndRemove(RunList list) : Contender("add and remove a request", 2_000)
    {
        private readonly CpuUsageAsyncWatcher _watcher = new();
        private readonly ThreadLocal<IdleRun> _runs = new(static () => new IdleRun());

        [MethodImpl(MethodImplOptions.NoInlining)]
        public override void Run(int operations)
        {
            IdleRun run = _runs.Value!;
            for (int i = 0; i < operations; i++)
            {
                list.Add(run, _watcher);
                list.Remove(run);
            }
        }

        public override void Verify() => Require(list.Read().Count == 0, "the list is not empty.");
    }

    private sealed class IdleRun : Run
    {
        public override RunReading? Describe() => null;
    }
}
