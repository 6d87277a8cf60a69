using System.Buffers;
using Picollo.Cpu;
using Picollo.Export;
using Picollo.Metrics;
using Picollo.PerfEvent;

namespace Picollo.Samples.Tests.Guides;

/// <summary>The code of docs/migrating.md.</summary>
internal static class MigratingGuide
{
    public static HdrHistogram Version01(int threads)
    {
        HdrHistogramFactory factory = HdrHistogram.Factory.WithRelativeError(0.01);
        factory = threads > 1 ? factory.WithThreadLocal() : factory.WithUInt64Storage();
        HdrHistogram histogram = factory.Create();
        return histogram;
    }

    public static ulong Version01Counters()
    {
        PerfEventCounterSessionFactory counters = PerfEventCounterSession.Factory.WithEnabled(false).WithOptional();
        counters = counters.WithSoftwareCounter(PerfSoftwareCounterId.TaskClock, out PerfEventCounter clock);
        using PerfEventCounterSession session = counters.Create();
        session.Enable();

        session.Read();
        Work();
        session.Read();
        return clock.Value;
    }

    public static HdrHistogram FromHdrHistogram()
    {
        var requests = HdrHistogram.Factory
            .WithSignificantDigits(3)
            .WithMaxTrackableValue(TickScope.OneSecondValue * 3600)
            .WithThreadLocal()
            .Create();

        using (requests.GetTickScope())
        {
            Work();
        }

        double ticksPerMillisecond = TickScope.OneSecondValue / 1e3;
        PercentileDistribution.Write(requests, Console.Out, ticksPerHalfDistance: 5, valueUnitRatio: ticksPerMillisecond);

        return requests;
    }

    public static async Task FromUniverse()
    {
        var onStart = CpuUsageReader.GetByThread();
        Work();
        var onEnd = CpuUsageReader.GetByThread();
        Console.WriteLine("CPU Usage: " + (onEnd - onStart));

        var listing = new CpuUsageAsyncWatcher(listSwitches: true);
        await WorkAsync();
        listing.Stop();
        Console.WriteLine(listing.ToHumanString(taskDescription: "the import"));
    }

    public static HdrHistogramRegistry FromPrometheusNet(IBufferWriter<byte> output)
    {
        var registry = new HdrHistogramRegistry();
        var logins = registry.GetOrAdd(
            "myapp.login.duration",
            () => HdrHistogram.Factory.WithRelativeError(0.01).WithThreadLocal().Create(),
            HdrHistogramDescription.Nanoseconds with { Help = "Duration of logins." },
            [new("provider", "local")]);

        using (logins.GetNanoScope())
        {
            Work();
        }

        new PrometheusWriter().WriteHistograms(output, PrometheusFormat.Text, registry); // myapp_login_duration_seconds_bucket{provider="local",le="..."} 1
        return registry;
    }

    private static void Work() => CpuUtils.AddChain256(1_000);

    private static async Task WorkAsync()
    {
        Work();
        await Task.Yield();
        Work();
    }
}
