using Picollo;
using Picollo.PerfEvent;

namespace Version01App;

/// <summary>Counters of a factory, which are software counters because not every machine has hardware counters, and the preparation of a thread.</summary>
public static class CounterProgram
{
    public static void Run()
    {
        Console.WriteLine($"target: {default(PerfEventCounterValue).ScaledValue}, {PerfTypeId.Hardware:D} to {PerfTypeId.Breakpoint:D}");
        Prepare();
        if (!PerfEventCounterSession.IsSupported)
        {
            Console.WriteLine("no counters");
            return;
        }

        Console.WriteLine($"nonsense: {PerfEventCounterSession.IsCounterSupported((PerfHardwareCounterId)1_000)}, "
            + $"{PerfEventCounterSession.IsCounterSupported((PerfCacheCounterId)0xFFFFFF)}");
        Count();
        HardwareCounters();
    }

    private static void Prepare()
    {
        var thread = new Thread(() =>
        {
            nint cpu = CpuUtils.GetCpu();
            bool pinned = CpuUtils.PrepareBenchmarkThread(coreId: (int)Math.Max(cpu, 0));
            Console.WriteLine($"moved: {pinned && CpuUtils.GetCpu() != cpu}");
        });
        thread.Start();
        thread.Join();
        double hertz = CpuUtils.WarmupCpu();
        Console.WriteLine($"clock: {hertz > 1e6 && hertz < 1e11}, thread: {CpuUtils.GetOsThreadId() != 0}");
        CpuUtils.AddChain256(blocks: 10);
    }

    private static void Count()
    {
        using var session = PerfEventCounterSession.Factory
            .WithTarget(pid: (int)CpuUtils.GetOsThreadId(), cpu: -1)
            .WithKernel(withKernel: false)
            .WithEnabled()
            .WithSoftwareCounter(PerfSoftwareCounterId.TaskClock, out PerfEventCounter clock)
            .WithSoftwareCounter(softwareCounterId: PerfSoftwareCounterId.PageFaults)
            .Create();

        Console.WriteLine($"pid: {session.Pid >= 0}, cpu: {session.Cpu}, no RDPMC without times: {!session.HasUserRdpmc || session.HasUserTime}");
        Console.WriteLine($"same: {ReferenceEquals(clock, session.Counters.Software.TaskClock)}, {ReferenceEquals(clock, session.Counters[0])}");
        Console.WriteLine($"only one: {session.Counters.Single(counter => counter.Config == (ulong)PerfSoftwareCounterId.PageFaults).Type}");
        Console.WriteLine($"missing: {session.Counters.Hardware.CpuCycles is null}, {session.Counters.Caches.L1DReadMiss is null}");
        session.Read(forceSyscallRead: true);
        CpuUtils.AddChain512(blocks: 1_000);
        session.Read(forceSyscallRead: true);
        session.Record(deltas: true);

        PerfEventCounterValue delta = clock.Delta, raw = clock.RawDelta, current = clock.Current;
        ulong nanoseconds = delta.Value;
        Console.WriteLine($"delta: {nanoseconds > 0}, {raw.Value >= nanoseconds}, {current.Value >= raw.Value}, {raw.Value - delta.Value <= clock.PairReadOverhead}");
        Console.WriteLine($"times: {delta.TimeEnabled == delta.TimeRunning}, {(delta + raw - raw).Value == delta.Value}");
        Console.WriteLine($"recorded: {clock.Histogram.TotalCount}");
        session.Reset();
        Console.WriteLine($"reset: {clock.Delta.Value}, {clock.Current.Value}");
    }

    private static void HardwareCounters()
    {
        try
        {
            using var session = PerfEventCounterSession.Factory
                .WithPinned()
                .WithKernel(false)
                .WithEnabled(true)
                .WithHardwareCounters()
                .WithCacheCounter(PerfCacheCounterId.L1DReadMiss, out _)
                .WithRawCounter(0x1c2)
                .Create();
            Console.WriteLine($"hardware: {session.Counters.Count}");
        }
        catch (Exception e)
        {
            Console.WriteLine($"hardware: {e.Message}");
        }

        var factory = PerfEventCounterSession.Factory.WithHardwareCounter(hardwareCounterId: PerfHardwareCounterId.CpuCycles, out var cycles);
        Console.WriteLine($"before the session: {cycles.Name} {cycles.Value} {factory is not null}");
    }
}
