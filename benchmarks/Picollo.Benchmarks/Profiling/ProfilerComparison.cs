using System.Diagnostics;
using System.Globalization;
using System.Runtime.CompilerServices;
using Picollo.Cpu;
using Picollo.Profiling;

namespace Picollo.Benchmarks.Profiling;

/// <summary><c>compare profile</c>: measures the cost of a <see cref="CpuProfiler"/> for the sampled process, in about a minute.</summary>
internal static class ProfilerComparison
{
    public const string Name = "profile";

    private const int WarmUps = 3;
    private const int Rounds = 12;

    private static ulong _sink;

    public static int Run(TextWriter output)
    {
        MachineInfo.Print(output);
        if (!CpuProfiler.TryStart(null, out CpuProfiler? profiler, out MeasurementUnavailableException? failure))
        {
            output.WriteLine(failure.Message);
            return 1;
        }

        profiler.Dispose();
        for (int i = 0; i < WarmUps; i++)
        {
            Work();
        }

        TextTable table = new(
            $"CPU time of sampled work, {Pairs.Count} pairs", "samples/s", "lost samples", "allocated bytes", "ratio", "quartiles", "target", "verdict");
        Add(table, 99, target: 1.01);
        Add(table, 999, target: 1.06);
        table.Print(output);
        PrintEnds(output);
        return 0;
    }

    private static void Add(TextTable table, int frequency, double target)
    {
        long samples = 0, lost = 0, allocated = 0;
        double seconds = 0;
        var pairs = Pairs.Measure($"{frequency} Hz", With, Work);
        table.Add(
        [
            $"{frequency} Hz",
            (samples / seconds).ToString("N0", CultureInfo.InvariantCulture),
            lost.ToString("N0", CultureInfo.InvariantCulture),
            allocated.ToString("N0", CultureInfo.InvariantCulture),
            .. Pairs.Cells(pairs.Select(pair => pair.With / pair.Without), target),
        ]);

        double With()
        {
            using CpuProfiler running = CpuProfiler.Start(new CpuProfilerOptions { Frequency = frequency });
            long before = GC.GetAllocatedBytesForCurrentThread();
            double time = Work();
            allocated += GC.GetAllocatedBytesForCurrentThread() - before;
            CpuProfile profile = running.Stop();
            (samples, lost, seconds) = (samples + profile.Value, lost + profile.LostSampleCount, seconds + (time / 1e9));
            return time;
        }
    }

    private static void PrintEnds(TextWriter output)
    {
        List<double> starts = [], stops = [];
        for (int i = 0; i < Pairs.Count; i++)
        {
            long start = Stopwatch.GetTimestamp();
            using CpuProfiler profiler = CpuProfiler.Start();
            starts.Add(Stopwatch.GetElapsedTime(start).TotalMilliseconds);
            Work();
            long stop = Stopwatch.GetTimestamp();
            profiler.Stop();
            stops.Add(Stopwatch.GetElapsedTime(stop).TotalMilliseconds);
        }

        TextTable table = new("Start and stop, ms", "median", "longest");
        table.Add("Start", Milliseconds(starts.Order().ElementAt(Pairs.Count / 2)), Milliseconds(starts.Max()));
        table.Add("Stop", Milliseconds(stops.Order().ElementAt(Pairs.Count / 2)), Milliseconds(stops.Max()));
        table.Print(output);

        static string Milliseconds(double time) => time.ToString("N1", CultureInfo.InvariantCulture);
    }

    /// <summary>Runs constant work with stacks of 1 to 30 methods, and returns the CPU time of the process in nanoseconds.</summary>
    private static double Work()
    {
        long start = CpuUsageReader.GetByProcess().TotalNanoseconds;
        for (int i = 0; i < Rounds; i++)
        {
            _sink += (ulong)Fibonacci(30);
        }

        return CpuUsageReader.GetByProcess().TotalNanoseconds - start;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int Fibonacci(int n) => n < 2 ? n : Fibonacci(n - 1) + Fibonacci(n - 2);
}
