using Picollo.Benchmarks.Comparison;
using Picollo.Samples.CpuWorker.Serving;

namespace Picollo.Benchmarks.Scheduling;

/// <summary><c>compare scheduling</c>: what the pool costs, and what it does for short tasks beside long ones; in under two minutes.</summary>
internal static class SchedulingComparison
{
    public const string Name = "scheduling";

    private const int Repetitions = 401;

    public static int Run(TextWriter output)
    {
        MachineInfo.Print(output);
        List<Row> rows = [.. SchedulingRows.Create()];
        TimeReport.Print(output, rows, Interleaver.Measure([.. rows.Select(row => row.Measured)], Repetitions));
        AllocationFacts.Print(output, rows);
        FirstSubmits.Print(output);
        Overtaking.Print(output);

        TaskSizes sizes = TaskSizes.Calibrate();
        SetAsideTask.Print(output, sizes);
        MixedLoad.Print(output, sizes);
        Throughput.Print(output, sizes);
        return 0;
    }
}
