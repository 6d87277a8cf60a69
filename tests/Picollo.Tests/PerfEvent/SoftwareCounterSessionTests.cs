using System.Runtime.InteropServices;
using Picollo.Cpu;
using Picollo.Interop.Linux;
using Picollo.Metrics;
using Picollo.PerfEvent;
using Picollo.Tests.Cpu;
using Picollo.Tests.Cpu.Linux;

namespace Picollo.Tests.PerfEvent;

/// <summary>Tests real sessions with the counters that every Linux has: the software counters of the kernel.</summary>
public sealed class SoftwareCounterSessionTests
{
    private const int CloseOnExec = 0x80000; // O_CLOEXEC

    private static PerfEventCounterSessionFactory Software => PerfEventCounterSession.Factory
        .WithSoftwareCounter(PerfSoftwareCounterId.PageFaults)
        .WithSoftwareCounter(PerfSoftwareCounterId.TaskClock);

    [FactNeeding(Need.PerfEvents)]
    public void Page_faults_are_counted_once()
    {
        using PerfEventCounterSession session = Software.Create();
        PerfEventCounter faults = session.Counters[PerfSoftwareCounterId.PageFaults]!;
        faults.Name.Should().Be("Software:PageFaults");
        session.Read();
        FreshPages.Touch(100);
        session.Read();
        session.Record(deltas: true);

        faults.Delta.Value.Should().BeInRange(100, 180, "a few more pages are new, and no page is counted twice");
        faults.Histogram.TotalCount.Should().Be(1);
        faults.Histogram.GetPercentileValue(100).Should().Be(faults.Delta.Value);
        faults.Value.Should().BeGreaterThanOrEqualTo(faults.Delta.Value);
        faults.RunningShare.Should().Be(1);
        faults.TimeEnabled.Should().BePositive().And.Be(faults.TimeRunning);
    }

    [FactNeeding(Need.PerfEvents)]
    public void The_task_clock_is_the_cpu_time()
    {
        using PerfEventCounterSession session = Software.Create();
        ResourceUsage before = ResourceUsage.GetByThread();
        session.Read();
        long burnt = (long)Burn.User(TimeSpan.FromMilliseconds(20)).TotalNanoseconds;
        session.Read();
        ResourceUsage used = ResourceUsage.GetByThread() - before;
        long counted = (long)session.Counters[PerfSoftwareCounterId.TaskClock]!.Delta.Value;

        // The kernel starts the event after it has switched to the thread and stops it before it switches away; the thread's clock also
        // counts both parts.
        long switches = used.VoluntaryContextSwitches + used.InvoluntaryContextSwitches;
        counted.Should().BeGreaterThan(burnt - (100_000 * (1 + switches)));
        session.Counters[PerfSoftwareCounterId.TaskClock]!.RawDelta.Value.Should().BeGreaterThanOrEqualTo((ulong)counted);
    }

    [FactNeeding(Need.PerfEvents)]
    public void The_overhead_of_calls_is_subtracted_if_the_reader_is_counted()
    {
        foreach (PerfEventCounterSessionFactory factory in (PerfEventCounterSessionFactory[])
        [
            Software, Software.WithThread(CpuUsageReader.GetThreadId()), Software.WithProcess(0), Software.WithProcess(Environment.ProcessId),
        ])
        {
            using PerfEventCounterSession session = factory.Create();
            session.Read();
            session.Read();
            PerfEventCounter clock = session.Counters[PerfSoftwareCounterId.TaskClock]!;
            clock.Delta.Value.Should().BeLessThan(clock.RawDelta.Value);
        }
    }

    [FactNeeding(Need.PerfEvents)]
    public void Regions_that_end_in_the_wrong_order_do_not_leak()
    {
        using PerfEventCounterSession session = Software.Create();
        ulong regions = 0;
        Allocations.InSteadyState(() =>
        {
            for (int i = 0; i < 10; i++)
            {
                PerfMeasurement outer = session.Measure();
                PerfMeasurement inner = session.Measure();
                outer.Dispose();
                inner.Dispose();
                regions += 2;
            }
        }).Should().Be(0);
        default(PerfMeasurement).Dispose();
        session.Counters[0].Histogram.TotalCount.Should().Be(regions);
    }

    [FactNeeding(Need.PerfEvents)]
    public void Regions_of_many_threads_are_all_recorded()
    {
        using PerfEventCounterSession session = Software.WithProcess(0).Create();
        NewThread.RunAll(4, _ =>
        {
            for (int i = 0; i < 200; i++)
            {
                using (session.Measure())
                using (session.Measure())
                {
                }
            }
        });

        session.Counters[0].Histogram.TotalCount.Should().Be(4 * 200 * 2);
    }

    [FactNeeding(Need.PerfEvents)]
    public void Reset_clears_the_histograms_and_restarts_at_zero()
    {
        using PerfEventCounterSession session = Software.Create();
        PerfEventCounter faults = session.Counters[0];
        session.Read();
        FreshPages.Touch(100);
        session.Read();
        session.Record();
        session.Reset();
        faults.Histogram.TotalCount.Should().Be(0);
        faults.Value.Should().Be(0);
        faults.Delta.Value.Should().Be(0);
        faults.Current.Value.Should().Be(0);
        faults.TimeEnabled.Should().Be(TimeSpan.Zero);

        session.Read();
        faults.Value.Should().BeLessThan(100);
        session.Record(deltas: false);
        faults.Histogram.GetPercentileValue(100).Should().Be(faults.Value);
    }

    [FactNeeding(Need.PerfEvents)]
    public void A_session_can_be_enabled_and_disabled()
    {
        using PerfEventCounterSession session = Software.WithEnabled(false).Create();
        PerfEventCounter faults = session.Counters[0];
        Count(() => FreshPages.Touch(50)).Should().Be(0);
        faults.RunningShare.Should().BeNull("it was never enabled");
        faults.TimeEnabled.Should().Be(TimeSpan.Zero);
        session.Enable();
        Count(() => FreshPages.Touch(50)).Should().BeGreaterThanOrEqualTo(50);
        faults.RunningShare.Should().Be(1);
        session.Disable();
        Count(() => FreshPages.Touch(50)).Should().Be(0);

        ulong Count(Action work)
        {
            session.Read();
            work();
            session.Read();
            return faults.Delta.Value;
        }
    }

    [FactNeeding(Need.PerfEvents)]
    public void Another_thread_can_be_counted_and_other_threads_may_read()
    {
        using var opened = new ManualResetEventSlim();
        using var over = new ManualResetEventSlim();
        long id = 0;
        var thread = new Thread(() =>
        {
            Volatile.Write(ref id, CpuUsageReader.GetThreadId());
            opened.Wait();
            FreshPages.Touch(200);
            over.Set();
        });
        thread.Start();
        SpinWait.SpinUntil(() => Volatile.Read(ref id) != 0);
        using PerfEventCounterSession session = Software.WithThread(id).Create();
        session.Read();
        opened.Set();
        over.Wait();
        session.Read();
        session.Counters[0].Delta.Value.Should().BeInRange(200, 380);
        session.WasReadInUserSpace.Should().BeFalse();
        thread.Join();
        session.Read();
        session.Counters[0].Value.Should().BeGreaterThanOrEqualTo(200, "the count of a thread remains after its end");
    }

    [FactNeeding(Need.PerfEvents)]
    public void A_process_is_counted_with_the_threads_it_starts_later()
    {
        using PerfEventCounterSession session = Software.WithProcess(0).Create();
        session.Read();
        NewThread.Run(() => FreshPages.Touch(500));
        session.Read();
        session.Counters[0].Delta.Value.Should().BeGreaterThanOrEqualTo(500);
    }

    [FactNeeding(Need.PerfEvents)]
    public void Counters_are_found_by_name_and_by_preset()
    {
        using PerfEventCounterSession session = Software.WithRawCounter(1, 5, "minor faults").Create();
        session.Counters.Select(counter => counter.Name).Should().Equal("Software:PageFaults", "Software:TaskClock", "minor faults");
        session.Counters.Count.Should().Be(3);
        session.Counters["minor faults"].Should().BeSameAs(session.Counters[2]);
        session.Counters[PerfSoftwareCounterId.MinorPageFaults].Should().BeSameAs(session.Counters[2]);
        session.Counters["nothing"].Should().BeNull();
        session.Counters.Instructions.Should().BeNull();
        session.Counters[0].ToString().Should().MatchRegex("^Software:PageFaults: [0-9,]+$");
    }

    [FactNeeding(Need.PerfEvents)]
    public void Missing_optional_counters_are_omitted_and_listed()
    {
        PerfEventCounterSessionFactory factory = Software
            .WithRawCounter(type: 4_000_000_000, config: 1, "no such PMU")
            .WithNamedCounter("nopmu/event=1/")
            .WithTracepoint("nosuch:tracepoint");
        factory.TryCreate(out PerfEventCounterSession? none, out MeasurementUnavailableException? failure).Should().BeFalse();
        none.Should().BeNull();
        failure!.Message.Should().Contain("nopmu/event=1/", "names are resolved before anything is opened");
        MeasurementUnavailableException unresolved = factory.Invoking(f => f.Create()).Should().Throw<MeasurementUnavailableException>().Which;
        (unresolved.Message, unresolved.Cause, unresolved.ErrorNumber).Should().Be((failure.Message, failure.Cause, null), "no system call was refused");
        Software.WithRawCounter(type: 4_000_000_000, config: 1, "no such PMU").Invoking(f => f.Create())
            .Should().Throw<MeasurementUnavailableException>().Which.ErrorNumber.Should().Be(Errno.ENOENT);

        using PerfEventCounterSession session = factory.WithOptional().Create();
        session.Counters.Select(counter => counter.Name).Should().Equal("Software:PageFaults", "Software:TaskClock");
        session.UnavailableCounters.Keys.Should().Equal("no such PMU", "nopmu/event=1/", "nosuch:tracepoint");
        session.UnavailableCounters.Should().OnlyContain(counter => counter.Value.Message.StartsWith(counter.Key + ": "));
        session.UnavailableCounters["nopmu/event=1/"].Cause.Should().Be(MeasurementUnavailableCause.NotSupported);
        session.Read();
        session.Record();
    }

    [FactNeeding(Need.PerfEvents)]
    public void An_ended_thread_cannot_be_counted()
    {
        long id = NewThread.Run(() => CpuUsageReader.GetThreadId());
        SpinWait.SpinUntil(() => !Directory.Exists($"/proc/self/task/{id}"), TimeSpan.FromSeconds(5));
        Software.WithThread(id).Invoking(f => f.Create()).Should().Throw<MeasurementUnavailableException>()
            .WithMessage($"Software:PageFaults: *no thread {id}*ESRCH*").Which.ErrorNumber.Should().Be(Errno.ESRCH);
        Software.WithThread(id).WithOptional().Invoking(f => f.Create()).Should().Throw<MeasurementUnavailableException>("the thread is missing, not the counters");
        Software.WithProcess(int.MaxValue).Invoking(f => f.Create()).Should().Throw<MeasurementUnavailableException>().WithMessage("*no process 2147483647*")
            .Which.ErrorNumber.Should().Be(Errno.ESRCH);
    }

    /// <summary>The kernel returns no bytes for a pinned group without room, as /dev/null does.</summary>
    [FactNeeding(Need.PerfEvents)]
    public void An_empty_read_of_a_group_is_an_error()
    {
        List<PerfEventFile> files = [];
        var settings = new PerfEventSettings
        {
            Counters = [new PerfEventNumbers("faults", new PerfEventDefinition(PerfTypeId.Software, (ulong)PerfSoftwareCounterId.PageFaults))],
        };
        using PerfEventCounterSession session = PerfEventCounterSession.Open(settings, PerfEventSources.System, (groups, _) =>
        {
            files.AddRange(groups.SelectMany(group => group.Members).Select(member => member.File));
            return null;
        });
        files.Should().ContainSingle();
        string flags = File.ReadLines($"/proc/self/fdinfo/{files[0].Number}").First(line => line.StartsWith("flags:", StringComparison.Ordinal));
        (Convert.ToInt32(flags["flags:".Length..].Trim(), 8) & CloseOnExec).Should().Be(CloseOnExec, "a started program must not inherit a counter");

        using (Microsoft.Win32.SafeHandles.SafeFileHandle nothing = File.OpenHandle("/dev/null"))
        {
            Duplicate((int)nothing.DangerousGetHandle(), files[0].Number).Should().Be(files[0].Number);
        }

        session.Invoking(s => s.Read()).Should().Throw<MeasurementUnavailableException>().WithMessage("*faults*pinned group*");
        session.Invoking(s => s.Reset()).Should().Throw<MeasurementUnavailableException>();
        session.Invoking(s => s.Measure()).Should().Throw<MeasurementUnavailableException>();
        session.Invoking(s => s.Enable()).Should().Throw<MeasurementUnavailableException>().WithMessage("*refused*");
    }

    [FactNeeding(Need.PerfEvents)]
    public void After_disposal_the_session_throws_and_the_histograms_remain()
    {
        PerfEventCounterSession session = Software.Create();
        session.Read();
        session.Record();
        session.Dispose();
        session.Dispose();
        session.Invoking(s => s.Read()).Should().Throw<ObjectDisposedException>();
        session.Invoking(s => s.Record()).Should().Throw<ObjectDisposedException>();
        session.Invoking(s => s.Reset()).Should().Throw<ObjectDisposedException>();
        session.Invoking(s => s.Enable()).Should().Throw<ObjectDisposedException>();
        session.Invoking(s => s.Disable()).Should().Throw<ObjectDisposedException>();
        session.Invoking(s => s.Measure()).Should().Throw<ObjectDisposedException>();
        session.Counters[0].Histogram.TotalCount.Should().Be(1);
    }

    [FactNeeding(Need.PerfEvents)]
    public void Reading_recording_and_measuring_do_not_allocate()
    {
        using PerfEventCounterSession session = Software.Create();
        Allocations.InSteadyState(() =>
        {
            session.Read(forceSyscallRead: true);
            session.Read();
            session.Record();
            using (session.Measure())
            {
                using (session.Measure())
                {
                }
            }
        }).Should().Be(0);
    }

    [DllImport("libc", EntryPoint = "dup2")]
    private static extern int Duplicate(int file, int number);
}
