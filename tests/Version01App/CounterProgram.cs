using Picollo;
using Picollo.PerfEvent;

namespace Version01App;

/// <summary>Counters of a factory. They are software counters of the kernel, because not every machine has hardware counters.</summary>
public static class CounterProgram
{
    public static void Run()
    {
        Console.WriteLine($"target: {default(PerfEventCounterValue).ScaledValue}, {PerfTypeId.Hardware:D} to {PerfTypeId.Breakpoint:D}");
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

    private static void Count()
    {
        using var session = PerfEventCounterSession.Factory
            .WithTarget(pid: (int)CpuUtils.GetOsThreadId(), cpu: -1)
            .WithKernel(withKernel: false)
            .WithEnabled()
            .WithSoftwareCounter(PerfSoftwareCounterId.TaskClock, out PerfEventCounter clock)
            .WithSoftwareCounter(softwareCounterId: PerfSoftwareCounterId.PageFaults)
            .Create();

        Console.WriteLine($"pid: {session.Pid}, cpu: {session.Cpu}");
        Console.WriteLine($"same: {ReferenceEquals(clock, session.Counters.Software.TaskClock)}, {ReferenceEquals(clock, session.Counters[0])}");
        Console.WriteLine($"only one: {session.Counters.Single(counter => counter.Config == (ulong)PerfSoftwareCounterId.PageFaults).Type}");
        Console.WriteLine($"missing: {session.Counters.Hardware.CpuCycles is null}, {session.Counters.Caches.L1DReadMiss is null}");
        if (session.HasUserRdpmc && !session.HasUserTime)
        {
            Console.WriteLine("user code can read the counters, but not the times");
        }

        session.Read(forceSyscallRead: true);
        CpuUtils.AddChain512(blocks: 1_000);
        session.Read(forceSyscallRead: true);
        session.Record(deltas: true);

        PerfEventCounterValue delta = clock.Delta, raw = clock.RawDelta, current = clock.Current;
        ulong nanoseconds = delta.Value;
        Console.WriteLine($"delta: {nanoseconds > 0}, {raw.Value >= nanoseconds}, {current.Value >= raw.Value}");
        Console.WriteLine($"overhead: {raw.Value - delta.Value <= clock.PairReadOverhead}");
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
