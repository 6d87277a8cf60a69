using Picollo.PerfEvent;
using Picollo.Profiling;

namespace Picollo.HelperApp.Faults;

internal static class Findings
{
    /// <summary>The prefix of each name, for findings that are printed several times.</summary>
    public static string Prefix { get; set; } = "";

    public static void Print(string name, object? value) => Console.WriteLine(FormattableString.Invariant($"{Prefix}{name}={value}"));

    /// <summary>Prints the outcome of creating a profiler for this process: "works", or the message.</summary>
    public static void PrintOutcome(string name, CpuProfilerOptions options)
    {
        bool isStarted = CpuProfiler.TryStart(options, out CpuProfiler? profiler, out string? reason);
        profiler?.Dispose();
        Print(name, isStarted ? "works" : reason);
    }

    /// <summary>Prints the outcome of creating a session: "works", or the message.</summary>
    public static void PrintOutcome(string name, PerfEventCounterSessionFactory factory)
    {
        try
        {
            factory.Create().Dispose();
            Print(name, "works");
        }
        catch (MeasurementUnavailableException e)
        {
            Print(name, e.Message);
        }
    }
}
