using System.Globalization;
using Picollo.Benchmarks.AspNet;
using Picollo.Cpu;
using Picollo.Diagnostics;

namespace Picollo.Benchmarks.Latency;

/// <summary><c>compare breakdown</c>: compares the states of flows with known causes, and measures their cost for a
/// server, in about four minutes.</summary>
internal static class BreakdownComparison
{
    public const string Name = "breakdown";

    private const int Runs = 40;
    private const int WarmUpRuns = 3;

    public static int Run(TextWriter output)
    {
        MachineInfo.Print(output);
        using RuntimeMeter meter = RuntimeMeter.Start();
        TextTable table = new("The flow", "state", "truth, ms", "measured, ms", "error p50", "error p90", "largest state", "sum of states - wall, ns");
        foreach ((KnownWait wait, Func<IDisposable>? background) in KnownWaits.All())
        {
            using IDisposable? other = background?.Invoke();
            Add(table, wait, MeasureAsync(wait).GetAwaiter().GetResult());
        }

        table.Print(output);
        AdditionRows.Print(output);
        PrintCost(output);
        return 0;
    }

    private static void PrintCost(TextWriter output)
    {
        using HelloProcess total = new("total"), latency = new("latency"), runtime = new("latency-runtime");
        RatePairs pairs = new("total CPU", pairs: 21);
        pairs.Add("states, hello", latency, total, "/hello");
        pairs.Add("states, 10 awaits", latency, total, "/waits");
        pairs.Add("states and runtime, hello", runtime, total, "/hello");
        pairs.Add("states and runtime, 10 awaits", runtime, total, "/waits");
        pairs.Print(output);
    }

    private static void Add(TextTable table, KnownWait wait, IReadOnlyList<(double Truth, LatencyBreakdown Measured, long Wall)> runs)
    {
        double[] errors = [.. runs.Select(run => Math.Abs(TimeIn(wait, run.Measured) - run.Truth)).Order()];
        LatencyState largest = LatencyStateValues.Disjoint.MaxBy(state => runs.Sum(run => run.Measured.GetNanoseconds(state) ?? 0));
        table.Add(
            wait.Name,
            string.Join(" + ", wait.States.Select(state => state.Name())),
            Text(runs.Average(run => run.Truth)),
            Text(runs.Average(run => TimeIn(wait, run.Measured))),
            Text(errors[errors.Length / 2]),
            Text(errors[errors.Length * 9 / 10]),
            largest.Name(),
            runs.Max(run => Math.Abs(run.Measured.WallNanoseconds - run.Wall)).ToString(CultureInfo.InvariantCulture));
    }

    private static double TimeIn(KnownWait wait, LatencyBreakdown measured) => wait.States.Sum(state => measured.GetNanoseconds(state) ?? 0) / 1e6;

    private static string Text(double milliseconds) => milliseconds.ToString("0.000", CultureInfo.InvariantCulture);

    private static async Task<IReadOnlyList<(double Truth, LatencyBreakdown Measured, long Wall)>> MeasureAsync(KnownWait wait)
    {
        List<(double Truth, CpuUsageAsyncWatcher Watcher)> runs = [];
        for (int i = 0; i < WarmUpRuns + Runs; i++)
        {
            await Task.Yield();
            CpuUsageAsyncWatcher watcher = new(measureLatency: true);
            double truth = await wait.RunAsync();
            watcher.Stop();
            runs.Add((truth, watcher));
        }

        await Task.Delay(300); // the waits for locks are reported late
        return [.. runs.Skip(WarmUpRuns).Select(run => (run.Truth, run.Watcher.GetLatencyBreakdown(), run.Watcher.WallNanoseconds))];
    }
}
