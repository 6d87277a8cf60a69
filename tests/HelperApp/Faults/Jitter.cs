using System.Diagnostics;
using System.Globalization;
using Picollo.Diagnostics;

namespace Picollo.HelperApp.Faults;

/// <summary>The jitter meter as other users, with other limits, and when the process is stopped or ends.</summary>
internal static class Jitter
{
    private const int Loops = 20;

    /// <summary>A short measurement, and what it had to go without.</summary>
    public static void Run()
    {
        using JitterMeter meter = JitterMeter.Start(new JitterMeterOptions { Loops = Loops });
        meter.Completion.Wait();
        Tell("cpus", string.Join(' ', meter.Cpus.Select(cpu => cpu.Cpu)));
        Tell("complete", meter.Cpus.All(cpu => cpu.Histogram.TotalCount == Loops));
        for (int i = 0; i < meter.UnavailableReasons.Count; i++)
        {
            Tell($"limit-{i}", meter.UnavailableReasons[i]);
        }

        JitterMeter.TryStart(new JitterMeterOptions { Loops = 1, Cpus = [1] }, out JitterMeter? second, out string? reason);
        second?.Dispose();
        Tell("second", reason ?? "measured");
    }

    /// <summary>The first wake-up that is late by more than 100 ns, its mark, and the stop of the trace.</summary>
    public static void Break()
    {
        using JitterMeter meter = JitterMeter.Start(new JitterMeterOptions { BreakAbove = TimeSpan.FromTicks(1) });
        meter.Completion.Wait();
        JitterBreak found = meter.Break!;
        Tell("marked", found.IsMarked);
        Tell("problem", found.MarkUnavailableReason ?? "none");
        Tell("stopped", found.IsTracingStopped);
        Tell("stop-problem", found.StopUnavailableReason ?? "none");
        Tell("mark", string.Create(CultureInfo.InvariantCulture, $"picollo jitter: CPU {found.Cpu}: latency {found.LatencyNanoseconds} ns"));
        if (found.IsMarked)
        {
            Tell("tracing-on", File.ReadAllText("/sys/kernel/tracing/tracing_on").TrimEnd());
            Tell("trace", File.ReadLines("/sys/kernel/tracing/trace").LastOrDefault(line => line.Contains("picollo")) ?? "empty");
        }
    }

    /// <summary>Stopped for 0.3 s in the middle.</summary>
    public static void Stopped()
    {
        using JitterMeter meter = JitterMeter.Start(new JitterMeterOptions { Duration = TimeSpan.FromSeconds(2) });
        int id = Environment.ProcessId;
        using Process other = Process.Start("sh", ["-c", $"sleep 0.2; kill -STOP {id}; sleep 0.3; kill -CONT {id}"]);
        other.WaitForExit();
        meter.Completion.Wait();
        Tell("counts", string.Join(' ', meter.Cpus.Select(cpu => cpu.Histogram.TotalCount)));
        Tell("shortest-maximum", meter.Cpus.Min(cpu => cpu.Histogram.GetPercentileValue(100)));
        Tell("fewest-late", meter.Cpus.Min(cpu => cpu.Histogram.GetCountBetween(10_000_000, ulong.MaxValue)));
    }

    /// <summary>Nobody stops it.</summary>
    public static void Left()
    {
        JitterMeter meter = JitterMeter.Start(new JitterMeterOptions());
        Tell("measures", !meter.Completion.IsCompleted);
    }

    private static void Tell(string name, object value) => Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{name}={value}"));
}
