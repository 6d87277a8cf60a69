using Picollo.PerfEvent;
using Picollo.Profiling;

namespace Picollo.HelperApp.Faults;

internal static class Findings
{
    /// <summary>The prefix of each name, for findings that are printed several times.</summary>
    public static string Prefix { get; set; } = "";

    public static void Print(string name, object? value) => Console.WriteLine(FormattableString.Invariant($"{Prefix}{name}={value}"));

    /// <summary>Prints the outcome of creating a profiler for this process: "works", or the message and the cause.</summary>
    public static void PrintOutcome(string name, CpuProfilerOptions options) => PrintOutcome(name, () => CpuProfiler.Start(options));

    /// <summary>Prints the outcome of creating a session: "works", or the message and the cause.</summary>
    public static void PrintOutcome(string name, PerfEventCounterSessionFactory factory) => PrintOutcome(name, factory.Create);

    private static void PrintOutcome(string name, Func<IDisposable> create)
    {
        try
        {
            create().Dispose();
            Print(name, "works");
        }
        catch (MeasurementUnavailableException e)
        {
            Print(name, e.Message);
            Print($"{name}-cause", $"{e.Cause} {e.ErrorNumber}");
        }
    }
}
