using System.Runtime.InteropServices;
using Picollo.Cpu.Linux;
using Picollo.Diagnostics.Jitter.Linux;
using Picollo.Interop.Linux;
using Picollo.Interop.Native;
using HdrHistogram = Picollo.Metrics.HdrHistogram;

namespace Picollo.Diagnostics.Tests.Linux;

/// <summary>Tests the meter on this machine, but not the latency of its CPUs.</summary>
[Collection(Alone.Name)]
[Trait("Category", "Slow")]
public sealed class LinuxJitterTests
{
    private const string DeepSleep = "/dev/cpu_dma_latency";

    // The fields of /proc/<pid>/stat after the name in parentheses. The first of them is field 3 (proc_pid_stat(5)).
    private const int FirstField = 3, ProcessorField = 39, PriorityField = 40, PolicyField = 41;

    private static readonly TimeSpan Deadline = TimeSpan.FromMinutes(1);

    [FactNeeding(Need.Linux)]
    public async Task Each_CPU_has_the_requested_number_of_wake_ups_and_the_handler_receives_all_of_them()
    {
        const int Loops = 500;
        Dictionary<int, HdrHistogram> given = [];
        Dictionary<int, long> nextDue = [];
        using JitterMeter meter = JitterMeter.Start(new JitterMeterOptions
        {
            Loops = Loops,
            Interval = TimeSpan.FromMicroseconds(500),
            Samples = (cpu, due, latencies) =>
            {
                if (nextDue.TryGetValue(cpu, out long next))
                {
                    due.Should().Be(next);
                }

                nextDue[cpu] = due + (latencies.Length * 500_000L);
                if (!given.TryGetValue(cpu, out HdrHistogram? histogram))
                {
                    given[cpu] = histogram = HdrHistogram.Factory.WithRelativeError(0.0005).Create();
                }

                histogram.Record(latencies);
            },
        });
        await meter.Completion.WaitAsync(Deadline);

        meter.Cpus.Select(cpu => cpu.Cpu).Should().Equal(CpuMask.Get(Environment.ProcessId));
        foreach (CpuJitter cpu in meter.Cpus)
        {
            CpuJitterStatus status = cpu.GetStatus();
            (status.Count, status.Lost, cpu.Histogram.TotalCount).Should().Be((Loops, 0, Loops));
            ((double)status.MinNanoseconds).Should().BeLessThanOrEqualTo(status.MeanNanoseconds);
            status.MeanNanoseconds.Should().BeLessThanOrEqualTo(status.MaxNanoseconds);
            status.LastNanoseconds.Should().BeInRange(status.MinNanoseconds, status.MaxNanoseconds);
            given[cpu.Cpu].BucketsWithValues.Select(bucket => (bucket.Start, bucket.Count))
                .Should().Equal(cpu.Histogram.BucketsWithValues.Select(bucket => (bucket.Start, bucket.Count)));
        }
    }

    [FactNeeding(Need.RealTime)]
    public void Each_thread_is_pinned_and_real_time_while_it_measures_and_ends_afterwards()
    {
        using JitterMeter meter = JitterMeter.Start(new JitterMeterOptions { Priority = 7 });
        meter.Priority.Should().Be(7);
        foreach (CpuJitter cpu in meter.Cpus)
        {
            SpinWait.SpinUntil(() => cpu.GetStatus().Count > 0, Deadline).Should().BeTrue();
            string task = $"/proc/self/task/{cpu.ThreadId}";
            string stat = File.ReadAllText($"{task}/stat");
            string[] fields = stat[(stat.LastIndexOf(')') + 2)..].Split(' ');
            fields[ProcessorField - FirstField].Should().Be($"{cpu.Cpu}");
            fields[PriorityField - FirstField].Should().Be("7");
            fields[PolicyField - FirstField].Should().Be($"{LibC.SCHED_FIFO}");
            File.ReadAllText($"{task}/comm").TrimEnd().Should().Be($"Picollo CPU {cpu.Cpu}");
            CpuMask.Get((int)cpu.ThreadId).Should().Equal(cpu.Cpu);
        }

        meter.Stop();
        meter.Cpus.Should().OnlyContain(cpu => !Directory.Exists($"/proc/self/task/{cpu.ThreadId}"));
    }

    [FactNeeding(Need.RealTime)]
    public void Without_a_priority_the_threads_have_ordinary_scheduling()
    {
        using JitterMeter meter = JitterMeter.Start(new JitterMeterOptions { Priority = null, Cpus = [CpuMask.Get(0)![0]] });
        string stat = File.ReadAllText($"/proc/self/task/{meter.Cpus[0].ThreadId}/stat");
        stat[(stat.LastIndexOf(')') + 2)..].Split(' ')[PolicyField - FirstField].Should().Be("0");
        meter.UnavailableReasons.Should().NotContain(limit => limit.Contains("SCHED_FIFO"));
    }

    [FactNeeding(Need.RealTime)]
    public async Task Deep_sleep_is_prevented_only_during_the_measurement()
    {
        if (!File.Exists(DeepSleep))
        {
            // Without the file, the test can check only the reason that the meter reports.
            using JitterMeter without = JitterMeter.Start(new JitterMeterOptions { Loops = 1 });
            without.UnavailableReasons.Should().Contain(limit => limit.StartsWith(DeepSleep, StringComparison.Ordinal));
            return;
        }

        JitterMeter meter = JitterMeter.Start(new JitterMeterOptions());
        OpenFiles(DeepSleep).Should().Be(1);
        meter.UnavailableReasons.Should().BeEmpty();
        meter.Dispose();
        OpenFiles(DeepSleep).Should().Be(0);

        using JitterMeter ended = JitterMeter.Start(new JitterMeterOptions { Loops = 1 });
        await ended.Completion.WaitAsync(Deadline);
        OpenFiles(DeepSleep).Should().Be(0, "the file is closed when the measurement ends, without Dispose");

        JitterMeter.TryStart(new JitterMeterOptions { Cpus = [100_000] }, out _, out _).Should().BeFalse();
        OpenFiles(DeepSleep).Should().Be(0);
    }

    [FactNeeding(Need.Linux)]
    public void A_missing_CPU_is_reported_with_the_available_ones()
    {
        JitterMeter.TryStart(new JitterMeterOptions { Cpus = [0, 100_000] }, out JitterMeter? meter, out MeasurementUnavailableException? failure).Should().BeFalse();
        meter.Should().BeNull();
        failure!.Message.Should().StartWith("CPU 100000 does not exist").And.Contain(" This process may run on CPU").And.EndWith($" {CpuMask.Format(CpuMask.Get(Environment.ProcessId))}.");
        FluentActions.Invoking(() => JitterMeter.Start(new JitterMeterOptions { Cpus = [100_000] }))
            .Should().Throw<MeasurementUnavailableException>().WithMessage(failure.Message).Which.Cause.Should().Be(MeasurementUnavailableCause.TargetNotFound);
    }

    [FactNeeding(Need.Linux)]
    public void A_CPU_that_the_system_refuses_is_reported()
    {
        int? priority = null;
        new LinuxJitterSystem().TryEnter(100_000, ref priority, new ReasonList(), out _, out MeasurementUnavailableException? failure).Should().BeFalse();
        (failure!.Cause, failure.ErrorNumber).Should().Be((MeasurementUnavailableCause.TargetNotFound, Errno.EINVAL));
        failure.Message.Should().StartWith("CPU 100000 is not available to this process (sched_setaffinity: Invalid argument): its cpuset does not contain the CPU");
    }

    [FactNeeding(Need.Linux)]
    public void Memory_of_the_meter_is_released()
    {
        for (int i = 0; i < 3; i++)
        {
            JitterMeter.Start(new JitterMeterOptions { Loops = 2 }).Dispose();
        }

        long before = LockedKilobytes();
        for (int i = 0; i < 20; i++)
        {
            JitterMeter.Start(new JitterMeterOptions { Loops = 2 }).Dispose();
        }

        // A ring takes 132 KB. The pages of a stack may be counted until the system has removed its thread.
        LockedKilobytes().Should().BeLessThan(before + 130);
    }

    [FactNeeding(Need.Linux)]
    public unsafe void Neither_loop_allocates()
    {
        foreach (LinuxJitterSystem system in Systems())
        {
            using JitterRing ring = NewRing(system, loops: 300);
            JitterState* state = ring.State;
            system.Run(state);
            long before = GC.GetAllocatedBytesForCurrentThread();
            system.Run(state);
            (GC.GetAllocatedBytesForCurrentThread() - before).Should().Be(0);
            state->Head.Should().Be(600);
        }
    }

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    public unsafe void A_garbage_collection_does_not_stop_the_native_loop()
    {
        // The runtime waits for the holding thread before the collection. During this time, all threads that run managed code are stopped.
        using JitterRing ring = NewRing(new LinuxJitterSystem(), JitterState.Unlimited);
        JitterState* state = ring.State;
        var system = new LinuxJitterSystem();
        var measuring = new Thread(() => system.Run(ring.State));
        measuring.Start();
        SpinWait.SpinUntil(() => Volatile.Read(ref ring.State->Head) > 10, Deadline).Should().BeTrue();
        int collections = GC.CollectionCount(0);
        using JitterRing held = NewRing(new LinuxJitterSystem(), loops: 2_000); // 0.2 s
        using ManualResetEventSlim begun = new();
        ulong written = 0;
        var holding = new Thread(() =>
        {
            begun.Set();
            written = RunDuringSuspension(ring.State, held.State);
        });
        holding.Start();
        begun.Wait();
        GC.Collect();
        holding.Join();
        ring.State->Stop = 1;
        measuring.Join();

        GC.CollectionCount(0).Should().BeGreaterThan(collections);
        written.Should().BeGreaterThan(20, "it continues every 0.1 ms during the 0.2 s in which no managed code runs");
    }

    // The method contains no call at which the runtime could stop it. It runs the native loop again, without a transition. The signals that
    // the runtime sends to stop this thread do not change its duration, although they would end a sleep.
    private static unsafe ulong RunDuringSuspension(JitterState* state, JitterState* own)
    {
        var run = (delegate* unmanaged[SuppressGCTransition]<JitterState*, int>)(nint)NativeShim.Current.RunJitter;
        _ = run(own);
        ulong before = Volatile.Read(ref state->Head);
        _ = run(own);
        return Volatile.Read(ref state->Head) - before;
    }

    private static JitterRing NewRing(LinuxJitterSystem system, ulong loops) =>
        new(system, new JitterPlan(100_000, loops, JitterState.Unlimited), new ReasonList());

    private static LinuxJitterSystem[] Systems() => [new(), new(NativeShim.Load(new NoLibraries()))];

    private static int OpenFiles(string path) =>
        Directory.EnumerateFiles("/proc/self/fd").Count(link => new FileInfo(link).LinkTarget == path);

    private static long LockedKilobytes() => long.Parse(
        File.ReadLines("/proc/self/status").Single(line => line.StartsWith("VmLck:", StringComparison.Ordinal)).Split((char[])[' ', '\t'], StringSplitOptions.RemoveEmptyEntries)[1],
        System.Globalization.CultureInfo.InvariantCulture);

    private sealed class NoLibraries : INativeLibraries
    {
        public bool TryLoad(string name, out nint library, out string where, out bool isThere)
        {
            (library, where, isThere) = (0, "nowhere", false);
            return false;
        }

        public bool TryGetExport(nint library, string function, out nint address) => (address = 0) != 0;
    }
}
