using Picollo.Cli.Jitter;
using Picollo.Diagnostics;
using Picollo.Metrics;

namespace Picollo.Cli.Tests.Jitter;

/// <summary>Artificial measurements.</summary>
internal static class ArtificialResults
{
    /// <summary>Latencies around 14 µs, with one of 9 ms in 10,000, which exceeds the histogram of jitterdebugger.</summary>
    public static CpuResult Cpu(int number, int count = 20_000, long lost = 0)
    {
        HdrHistogram histogram = HdrHistogram.Create();
        ulong min = ulong.MaxValue, max = 0;
        double sum = 0;
        for (int i = 0; i < count; i++)
        {
            ulong latency = i % 10_000 == 9_999 ? 9_123_456 + (ulong)number : 13_900 + (ulong)(number * 100) + (ulong)(i % 1_000 * (i % 100 == 0 ? 17 : 1));
            histogram.Record(latency);
            (min, max, sum) = (Math.Min(min, latency), Math.Max(max, latency), sum + latency);
        }

        CpuJitterStatus status = count == 0 ? default : new(count, lost, min, sum / count, max, 14_000);
        return new(number, 1234 + number, status, histogram);
    }

    public static JitterOptions Options { get; } =
        new(new JitterMeterOptions(), Load: null, IsLive: false, InNanoseconds: false, IsJson: false, Folder: null, WithSamples: false);

    public static JitterResult Result(params CpuResult[] cpus) => new()
    {
        Options = Options,
        StartTime = new DateTimeOffset(2026, 11, 22, 1, 2, 3, TimeSpan.Zero),
        Elapsed = TimeSpan.FromSeconds(20),
        Cpus = cpus,
        Break = null,
        Priority = Options.Meter.Priority,
        UnavailableReasons = [],
        IsInterrupted = false,
    };

    /// <summary>A result with values for all fields.</summary>
    public static JitterResult Full => new()
    {
        Options = Options with { Load = MeasuredCommand.FromText("stress-ng --cpu 0 \e[1m"), Meter = new() { Priority = null, Interval = TimeSpan.FromMicroseconds(250) }, WithSamples = true },
        StartTime = new DateTimeOffset(2026, 11, 22, 1, 2, 3, TimeSpan.Zero),
        Elapsed = TimeSpan.FromSeconds(20),
        Cpus = [Cpu(0), Cpu(12, lost: 3)],
        Break = new JitterBreak(12, 9_123_468, "tracefs is not mounted. Run `mount -t tracefs tracefs /sys/kernel/tracing` as root.", "/sys/kernel/tracing/tracing_on cannot be written (Permission denied). Run as root."),
        Priority = null,
        UnavailableReasons = ["SCHED_FIFO at priority 80 is refused (Operation not permitted): \e[31mit waits"],
        IsInterrupted = true,
    };
}
