using System.Runtime.InteropServices;
using Picollo.Cpu.Linux;
using Picollo.Diagnostics.Jitter.Linux;
using Picollo.Interop.Linux;
using Picollo.Interop.Native;

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

    [FactNeeding(Need.RealTime)]
    public void Each_thread_is_pinned_and_real_time_while_it_measures_and_ends_afterwards()
    {
        using JitterMeter meter = JitterMeter.Start(new JitterMeterOptions { Priority = 7 });
        meter.Priority.Should().Be(7);
        foreach (CpuJitter cpu in meter.Cpus)
        {
            SpinWait.SpinUntil(() => cpu.GetStatus().Count > 0, Deadline).Should().BeTrue();
            string task = $"/proc/self/task/{cpu.ThreadId}";
            string[] fields = FieldsOf(cpu);
            fields[ProcessorField - FirstField].Should().Be($"{cpu.Cpu}");
            fields[PriorityField - FirstField].Should().Be("7");
            fields[PolicyField - FirstField].Should().Be($"{LibC.SCHED_FIFO}");
            File.ReadAllText($"{task}/comm").TrimEnd().Should().Be($"Picollo CPU {cpu.Cpu}");
            CpuMask.Get((int)cpu.ThreadId).Should().Equal(cpu.Cpu);
        }

        meter.Stop();
        meter.Cpus.Should().OnlyContain(cpu => !Directory.Exists($"/proc/self/task/{cpu.ThreadId}"));

        using JitterMeter ordinary = JitterMeter.Start(new JitterMeterOptions { Priority = null, Cpus = [CpuMask.Get(0)![0]] });
        FieldsOf(ordinary.Cpus[0])[PolicyField - FirstField].Should().Be("0");
        ordinary.UnavailableReasons.Should().NotContain(limit => limit.Contains("SCHED_FIFO"));

        static string[] FieldsOf(CpuJitter cpu)
        {
            string stat = File.ReadAllText($"/proc/self/task/{cpu.ThreadId}/stat");
            return stat[(stat.LastIndexOf(')') + 2)..].Split(' ');
        }
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
    public void A_missing_CPU_and_one_that_the_system_refuses_are_reported()
    {
        FluentActions.Invoking(() => JitterMeter.Start(new JitterMeterOptions { Cpus = [0, 100_000] }))
            .Should().Throw<MeasurementUnavailableException>()
            .WithMessage($"CPU 100000 does not exist* This process may run on CPU* {CpuMask.Format(CpuMask.Get(Environment.ProcessId))}.")
            .Which.Cause.Should().Be(MeasurementUnavailableCause.TargetNotFound);

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

        // Each ring takes 132 KB. The pages of stacks may be counted until the system has removed their threads.
        LockedKilobytes().Should().BeLessThan(before + (10 * 132));
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
        written.Should().BePositive("it continues every 0.1 ms during the 0.2 s in which no managed code runs");
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
