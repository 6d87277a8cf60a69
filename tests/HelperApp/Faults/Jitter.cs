using System.Diagnostics;
using System.Globalization;
using Picollo.Diagnostics;
using static Picollo.HelperApp.Faults.Findings;

namespace Picollo.HelperApp.Faults;

/// <summary>Runs the jitter meter as other users, with other limits, and in a process that is stopped or ends.</summary>
internal static class Jitter
{
    private const int Loops = 20;

    /// <summary>Runs a short measurement, and prints the functions that were refused.</summary>
    public static void Run()
    {
        using JitterMeter meter = JitterMeter.Start(new JitterMeterOptions { Loops = Loops });
        meter.Completion.Wait();
        Print("cpus", string.Join(' ', meter.Cpus.Select(cpu => cpu.Cpu)));
        Print("complete", meter.Cpus.All(cpu => cpu.Histogram.TotalCount == Loops));
        for (int i = 0; i < meter.UnavailableReasons.Count; i++)
        {
            Print($"limit-{i}", meter.UnavailableReasons[i]);
        }

        JitterMeter.TryStart(new JitterMeterOptions { Loops = 1, Cpus = [1] }, out JitterMeter? second, out MeasurementUnavailableException? failure);
        second?.Dispose();
        Print("second", failure?.Message ?? "measured");
    }

    /// <summary>Prints the first wake-up that is late by more than 100 ns, its mark, and whether the trace was stopped.</summary>
    public static void Break()
    {
        using JitterMeter meter = JitterMeter.Start(new JitterMeterOptions { BreakAbove = TimeSpan.FromTicks(1) });
        meter.Completion.Wait();
        JitterBreak found = meter.Break!;
        Print("marked", found.IsMarked);
        Print("problem", found.MarkUnavailableReason ?? "none");
        Print("stopped", found.IsTracingStopped);
        Print("stop-problem", found.StopUnavailableReason ?? "none");
        Print("mark", string.Create(CultureInfo.InvariantCulture, $"picollo jitter: CPU {found.Cpu}: latency {found.LatencyNanoseconds} ns"));
        if (found.IsMarked)
        {
            Print("tracing-on", File.ReadAllText("/sys/kernel/tracing/tracing_on").TrimEnd());
            Print("trace", File.ReadLines("/sys/kernel/tracing/trace").LastOrDefault(line => line.Contains("picollo")) ?? "empty");
        }
    }

    /// <summary>Stops the process for 0.3 s during the measurement.</summary>
    public static void Stopped()
    {
        using JitterMeter meter = JitterMeter.Start(new JitterMeterOptions { Duration = TimeSpan.FromSeconds(2) });
        int id = Environment.ProcessId;
        using Process other = Process.Start("sh", ["-c", $"sleep 0.2; kill -STOP {id}; sleep 0.3; kill -CONT {id}"]);
        other.WaitForExit();
        meter.Completion.Wait();
        Print("counts", string.Join(' ', meter.Cpus.Select(cpu => cpu.Histogram.TotalCount)));
        Print("shortest-maximum", meter.Cpus.Min(cpu => cpu.Histogram.GetPercentileValue(100)));
        Print("fewest-late", meter.Cpus.Min(cpu => cpu.Histogram.GetCountBetween(10_000_000, ulong.MaxValue)));
    }

    /// <summary>Ends the process without stopping the meter.</summary>
    public static void Left()
    {
        JitterMeter meter = JitterMeter.Start(new JitterMeterOptions());
        Print("measures", !meter.Completion.IsCompleted);
    }
}
