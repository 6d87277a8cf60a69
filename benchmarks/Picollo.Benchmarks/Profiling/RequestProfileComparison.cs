using System.Globalization;
using Picollo.Benchmarks.AspNet;
using Picollo.Profiling;

namespace Picollo.Benchmarks.Profiling;

/// <summary><c>compare requestprofile</c>: what a <see cref="CpuProfiler"/> at 99 Hz costs a server whose requests are measured, and what it
/// costs to record a switch between flows; in about three minutes.</summary>
internal static class RequestProfileComparison
{
    public const string Name = "requestprofile";

    private const int WarmUpSeconds = 3;
    private const int Repetitions = 201;

    // The profiler's thread reads what was recorded every 250 ms.
    private static readonly TimeSpan LastReading = TimeSpan.FromMilliseconds(300);

    public static int Run(TextWriter output)
    {
        MachineInfo.Print(output);
        if (!CpuProfiler.TryStart(null, out CpuProfiler? profiler, out string? reason))
        {
            output.WriteLine(reason);
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
            $"CPU time of a request while it is sampled, {Pairs.Count} pairs",
            "requests/s", "µs without", "samples", "of a route", "ratio", "quartiles", "target", "verdict");
        Add(table, "hello", "/hello");
        Add(table, $"{HelloServer.Waits} awaits that suspend", "/waits");
        table.Print(output);
    }

    private static void Add(TextTable table, string name, string path)
    {
        const double Target = 1.03;
        long samples = 0, ofRoutes = 0;
        using HelloProcess server = new("total");
        With(WarmUpSeconds);
        server.Measure(path, WarmUpSeconds);
        (samples, ofRoutes) = (0, 0);
        var pairs = Pairs.Measure(name, () => With(1), () => server.Measure(path, 1, LastReading));
        table.Add(
        [
            name,
            pairs.Average(pair => pair.Without.RequestsPerSecond).ToString("N0", CultureInfo.InvariantCulture),
            (pairs.Average(pair => pair.Without.CpuNanoseconds) / 1e3).ToString("N1", CultureInfo.InvariantCulture),
            samples.ToString("N0", CultureInfo.InvariantCulture),
            ((double)ofRoutes / samples).ToString("0.0 %", CultureInfo.InvariantCulture),
            .. Pairs.Cells(pairs.Select(pair => pair.With.CpuNanoseconds / pair.Without.CpuNanoseconds), Target),
        ]);

        HelloFigures With(int seconds)
        {
            server.StartProfile();
            HelloFigures figures = server.Measure(path, seconds, LastReading);
            (long Samples, long OfRoutes) profile = server.StopProfile();
            (samples, ofRoutes) = (samples + profile.Samples, ofRoutes + profile.OfRoutes);
            return figures;
        }
    }

    private static void PrintSwitches(TextWriter output)
    {
        FlowSwitches unrecorded = new("not recorded", isRecorded: false), recorded = new("recorded", isRecorded: true);
        const string Section = "A thread takes a watched flow up and leaves it";
        List<Row> rows = [new(Section, unrecorded), new(Section, recorded, unrecorded, IsDifference: true)];
        TimeReport.Print(output, rows, Interleaver.Measure([unrecorded, recorded], Repetitions));
    }
}
