using System.Globalization;
using Picollo.Benchmarks.AspNet;
using Picollo.Profiling;

namespace Picollo.Benchmarks.Profiling;

/// <summary><c>compare requestprofile</c>: measures the cost of a <see cref="CpuProfiler"/> at 99 Hz and of measuring waits, for a server whose requests
/// are measured, and the cost of recording a switch between flows, in about six minutes.</summary>
/// <remarks>A profiler of another process has the same costs in the kernel, but does not record switches.</remarks>
internal static class RequestProfileComparison
{
    public const string Name = "requestprofile";

    private const int WarmUpSeconds = 3;
    private const int Repetitions = 201;

    // The profiler's thread reads the recorded switches every 250 ms.
    private static readonly TimeSpan LastReading = TimeSpan.FromMilliseconds(300);

    public static int Run(TextWriter output)
    {
        MachineInfo.Print(output);
        if (!CpuProfiler.TryStart(null, out CpuProfiler? profiler, out MeasurementUnavailableException? failure))
        {
            output.WriteLine(failure.Message);
            return 1;
        }

        profiler.Dispose();
        PrintRequests(output);
        PrintSwitches(output);
        return 0;
    }

    private static void PrintRequests(TextWriter output)
    {
        TextTable table = new(
            $"CPU time of a sampled request, {Pairs.Count} pairs",
            "compared with", "µs without the profiler", "samples or waits", "in routes", "ratio", "quartiles", "target", "verdict");
        Add(table, "hello", "/hello");
        Add(table, $"{HelloServer.Waits} awaits that suspend", "/waits");
        table.Print(output);
    }

    private static void Add(TextTable table, string name, string path)
    {
        const double Target = 1.03, WaitsTarget = 1.6;
        using HelloProcess server = new("total");
        Profiled(server.StartProfile, WarmUpSeconds);
        Plain(WarmUpSeconds);
        Compare(name, Target, server.StartProfile, "no profiler", () => Plain(1));
        Compare(name, Target, server.StartProfile, "a profiler in another process, which records no switches", () => SampledByAnother(1));
        Compare(name + ", waits", WaitsTarget, server.StartWaits, "no profiler", () => Plain(1));

        void Compare(string name, double target, Action start, string baseline, Func<HelloFigures> without)
        {
            long samples = 0, ofRoutes = 0;
            var pairs = Pairs.Measure($"{name}, {baseline}", With, without);
            table.Add(
            [
                name,
                baseline,
                (pairs.Average(pair => pair.Without.CpuNanoseconds) / 1e3).ToString("N1", CultureInfo.InvariantCulture),
                samples.ToString("N0", CultureInfo.InvariantCulture),
                ((double)ofRoutes / samples).ToString("0.0 %", CultureInfo.InvariantCulture),
                .. Pairs.Cells(pairs.Select(pair => pair.With.CpuNanoseconds / pair.Without.CpuNanoseconds), target),
            ]);

            HelloFigures With()
            {
                (HelloFigures figures, long taken, long takenOfRoutes) = Profiled(start, 1);
                (samples, ofRoutes) = (samples + taken, ofRoutes + takenOfRoutes);
                return figures;
            }
        }

        HelloFigures Plain(int seconds) => server.Measure(path, seconds, LastReading);

        HelloFigures SampledByAnother(int seconds)
        {
            using CpuProfiler profiler = CpuProfiler.Start(new CpuProfilerOptions { ProcessId = server.ProcessId });
            return Plain(seconds);
        }

        (HelloFigures Figures, long Samples, long OfRoutes) Profiled(Action start, int seconds)
        {
            start();
            HelloFigures figures = Plain(seconds);
            (long samples, long ofRoutes) = server.StopProfile();
            return (figures, samples, ofRoutes);
        }
    }

    private static void PrintSwitches(TextWriter output)
    {
        FlowSwitches unrecorded = new("both switches, not recorded", isRecorded: false), recorded = new("both switches, recorded", isRecorded: true);
        SwitchReads read = new("the profiler's thread reads both switches");
        const string Section = "A thread starts and stops running a watched flow";
        List<Row> rows = [new(Section, unrecorded), new(Section, recorded, unrecorded, IsDifference: true), new(Section, read)];
        TimeReport.Print(output, rows, Interleaver.Measure([unrecorded, recorded, read], Repetitions));
    }
}
