using Picollo.Cpu;
using Picollo.Diagnostics;

namespace Picollo.PerfGuestApp;

/// <summary>Checks readings while one of the CPUs is offline, and marks in the kernel's trace.</summary>
internal static class Processors
{
    private const int Second = 1;

    private static readonly TimeSpan Deadline = TimeSpan.FromSeconds(20);

    public static void OneIsOffline()
    {
        using SystemCpu cpu = new(SystemCpuParts.States);
        WithoutTheSecond(() =>
        {
            cpu.Update();
            Check.That(cpu.Cpus.Count == 1 && cpu.Cpus[0].Cpu == 0, "the online CPU is not the only listed CPU");
            bool isStarted = JitterMeter.TryStart(new JitterMeterOptions { Cpus = [Second], Loops = 1 }, out _, out MeasurementUnavailableException? failure);
            Check.That(!isStarted && failure!.Message.Contains("CPU 1 is offline", StringComparison.Ordinal), $"{failure?.Message}");

            using JitterMeter meter = JitterMeter.Start(new JitterMeterOptions { Loops = 20 });
            Check.That(meter.Completion.Wait(Deadline), "20 wake-ups did not end");
            Check.That(meter.Cpus.Count == 1 && meter.Cpus[0].Cpu == 0 && meter.Cpus[0].Histogram.TotalCount == 20, "the online CPU is not the only measured CPU");
        });

        cpu.Update();
        Check.That(cpu.Cpus.Count == 2, "the second CPU is not online again");
    }

    public static void OneGoesOffline()
    {
        using JitterMeter meter = JitterMeter.Start(new JitterMeterOptions());
        Until(() => meter.Cpus.All(each => each.Histogram.TotalCount > 0), "not all CPUs are measured");
        WithoutTheSecond(() => Until(
            () => meter.UnavailableReasons.Any(limit => limit.StartsWith("CPU 1 went offline", StringComparison.Ordinal)),
            $"the offline CPU is not reported: {string.Join(' ', meter.UnavailableReasons)}"));

        ulong then = meter.Cpus[0].Histogram.TotalCount;
        Until(() => meter.Cpus[0].Histogram.TotalCount > then, "the online CPU is no longer measured");
        meter.Stop();
        Check.That(meter.Cpus[0].Histogram.TotalCount > meter.Cpus[Second].Histogram.TotalCount, "the offline CPU was not measured for a shorter time");
    }

    /// <summary>Runs before tracefs is mounted.</summary>
    public static void NotMarked()
    {
        JitterBreak it = Break();
        Check.That(!it.IsMarked && it.MarkUnavailableReason!.Contains("tracefs is not mounted", StringComparison.Ordinal), $"{it}");
        Check.That(!it.IsTracingStopped && it.StopUnavailableReason == it.MarkUnavailableReason, $"{it}");
    }

    public static void Marked()
    {
        const string TracingOn = "/sys/kernel/tracing/tracing_on";
        Check.That(File.ReadAllText(TracingOn) == "1\n", "the trace is not initially on");
        JitterBreak it = Break();
        Check.That(it is { IsMarked: true, MarkUnavailableReason: null, IsTracingStopped: true, StopUnavailableReason: null }, $"{it}");
        Check.That(File.ReadAllText(TracingOn) == "0\n", "the trace was not stopped");
        JitterBreak second = Break();
        Check.That(second.MarkUnavailableReason == $"Tracing is off. Run `echo 1 > {TracingOn}` as root.", $"the reason why a stopped trace is not marked is wrong: {second}");
        File.WriteAllText(TracingOn, "1\n");
        string mark = FormattableString.Invariant($"picollo jitter: CPU {it.Cpu}: latency {it.LatencyNanoseconds} ns");
        string trace = File.ReadAllText("/sys/kernel/tracing/trace");
        Check.That(trace.Contains(mark, StringComparison.Ordinal), $"'{mark}' is not in the trace: {trace}");
    }

    // Uses the shortest possible limit, which every wake-up exceeds.
    private static JitterBreak Break()
    {
        using JitterMeter meter = JitterMeter.Start(new JitterMeterOptions { BreakAbove = TimeSpan.FromTicks(1) });
        Check.That(meter.Completion.Wait(Deadline), "the measurement did not end at the break");
        return meter.Break!;
    }

    private static void WithoutTheSecond(Action action)
    {
        const string Switch = "/sys/devices/system/cpu/cpu1/online";
        File.WriteAllText(Switch, "0");
        try
        {
            action();
        }
        finally
        {
            File.WriteAllText(Switch, "1");
        }
    }

    private static void Until(Func<bool> condition, string message) => Check.That(SpinWait.SpinUntil(condition, Deadline), message);
}
