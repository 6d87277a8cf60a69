using System.Runtime.InteropServices;
using Picollo.Cpu;
using Picollo.Interop.Native;
using Picollo.PerfEvent;

namespace Picollo.Tests.PerfEvent;

/// <summary>Tests the thread's clock with a simulated page, which the native library reads, and a kernel clock that the test sets.</summary>
public sealed unsafe class ThreadCpuClockTests
{
    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    public void After_a_switch_there_is_one_system_call()
    {
        using var machine = new SimulatedThread();
        using ThreadCpuClock clock = machine.NewClock();
        int calls = machine.SystemCalls;
        for (int i = 1; i <= 50; i++)
        {
            machine.Switch(lost: 4_000);
            clock.GetNanoseconds().Should().Be(machine.Nanoseconds, "the time that the page missed is added");
            machine.Run(1_000);
            clock.GetNanoseconds().Should().Be(machine.Nanoseconds);
            machine.SystemCalls.Should().Be(calls + i);
        }
    }

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    public void A_switch_during_the_system_call_is_detected_at_the_next_reading()
    {
        using var machine = new SimulatedThread();
        using ThreadCpuClock clock = machine.NewClock();
        machine.AfterCall = () => machine.Switch(lost: 4_000);
        machine.Switch(lost: 4_000);
        clock.GetNanoseconds();
        machine.AfterCall = null;
        int calls = machine.SystemCalls;
        clock.GetNanoseconds().Should().Be(machine.Nanoseconds);
        machine.SystemCalls.Should().Be(calls + 1);
    }

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    public void A_thread_that_is_never_switched_makes_a_system_call_every_10_ms()
    {
        using var machine = new SimulatedThread();
        using ThreadCpuClock clock = machine.NewClock();
        int calls = machine.SystemCalls;
        machine.Run(ThreadCpuClock.ResyncIntervalNanoseconds - 1, lost: 300);
        clock.GetNanoseconds().Should().BeLessThanOrEqualTo(machine.Nanoseconds - 300);
        machine.SystemCalls.Should().Be(calls);
        machine.Run(301);
        clock.GetNanoseconds().Should().Be(machine.Nanoseconds);
        machine.SystemCalls.Should().Be(calls + 1);
        machine.Run(ThreadCpuClock.ResyncIntervalNanoseconds - 1);
        clock.GetNanoseconds().Should().Be(machine.Nanoseconds);
        machine.SystemCalls.Should().Be(calls + 1);
    }

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    public void Without_a_time_in_the_page_every_reading_is_a_system_call()
    {
        using var machine = new SimulatedThread();
        machine.Page.OffersTime = false;
        using ThreadCpuClock clock = machine.NewClock();
        clock.ReadsInUserSpace.Should().BeFalse();
        clock.UnavailableReason.Should().Contain("cap_user_time").And.Contain("tsc=reliable");
        int calls = machine.SystemCalls;
        machine.Run(123);
        clock.GetNanoseconds().Should().Be(machine.Nanoseconds);
        machine.SystemCalls.Should().Be(calls + 1);
    }

    /// <summary>The kernel removes the time from all pages when it no longer trusts the CPU's counter.</summary>
    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    public void A_page_that_loses_its_time_or_remains_locked_is_not_used()
    {
        using var machine = new SimulatedThread();
        using ThreadCpuClock clock = machine.NewClock();
        machine.Run(1_000);
        machine.Page.OffersTime = false;
        machine.Run(1_000);
        clock.GetNanoseconds().Should().Be(machine.Nanoseconds);
        machine.Page.OffersTime = true;
        machine.Page.Lock++;
        machine.Run(1_000);
        clock.GetNanoseconds().Should().Be(machine.Nanoseconds);
        machine.Run(1_000);
        clock.GetNanoseconds().Should().Be(machine.Nanoseconds);
        machine.Page.Lock++;
        int calls = machine.SystemCalls;
        clock.GetNanoseconds().Should().Be(machine.Nanoseconds);
        machine.Run(1_000);
        clock.GetNanoseconds().Should().Be(machine.Nanoseconds);
        machine.SystemCalls.Should().Be(calls + 1, "a page that is valid again is read again");
    }

    /// <summary>For any page and kernel, the page's part of a reading is bounded, and no reading is below the previous one.</summary>
    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    public void Readings_never_decrease_and_their_error_is_bounded()
    {
        Seeded.Run(200, random =>
        {
            using var machine = new SimulatedThread();
            machine.Page.OffersTime = random.Next(10) != 0;
            using ThreadCpuClock clock = machine.NewClock();
            long last = clock.GetNanoseconds();
            for (int step = 0; step < 300; step++)
            {
                int calls = machine.SystemCalls;
                bool mustSynchronize = false;
                switch (random.Next(6))
                {
                    case 0:
                        machine.Switch(lost: random.Next(100_000));
                        mustSynchronize = true;
                        break;
                    case 1:
                        machine.Run(random.NextInt64(30_000_000));
                        break;
                    case 2:
                        machine.Run(random.Next(10_000), lost: random.Next(5_000)); // an interrupt that the page does not count
                        break;
                    case 3:
                        machine.Run(random.Next(10_000), lost: -random.Next(5_000)); // an interrupt that the kernel does not count
                        break;
                    case 4:
                        machine.Page.OffersTime = !machine.Page.OffersTime;
                        break;
                    default:
                        machine.Run(random.Next(2_000));
                        break;
                }

                long now = clock.GetNanoseconds();
                now.Should().BeGreaterThanOrEqualTo(last);
                bool isSynchronized = machine.SystemCalls != calls;
                (isSynchronized || !mustSynchronize).Should().BeTrue("a switch is detected");
                if (isSynchronized)
                {
                    now.Should().Be(Math.Max(last, machine.Nanoseconds));
                }
                else
                {
                    // At most 10 ms, and so at most that number of steps, have passed since the last call.
                    (now - machine.Nanoseconds).Should().BeInRange(-300 * 5_000, 300 * 5_000);
                }

                last = now;
            }
        });
    }

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    public void A_thread_with_the_reused_ID_is_not_the_owner()
    {
        using var machine = new SimulatedThread();
        ThreadCpuClock clock = NewThread.Run(() => machine.NewClock());
        PerfPagesTests.OnLaterThreads(() => clock.Invoking(c => c.GetNanoseconds())
            .Should().Throw<InvalidOperationException>().WithMessage("*Create one per thread*"));
    }

    [Fact]
    public void The_real_clock_has_the_time_of_the_thread_and_does_not_allocate()
    {
        using var clock = new ThreadCpuClock();
        clock.ReadsInUserSpace.Should().Be(clock.UnavailableReason is null);

        // A page differs by the time of interrupts and of a hypervisor since the last call; the kernel's own time is exact.
        long slack = clock.ReadsInUserSpace ? ThreadCpuClock.ResyncIntervalNanoseconds : 0;
        for (int i = 0; i < 200; i++)
        {
            long before = CpuUsageReader.GetThreadTimeNanoseconds();
            long now = clock.GetNanoseconds();
            long after = CpuUsageReader.GetThreadTimeNanoseconds();
            now.Should().BeInRange(before - slack, after + slack);
            CpuUtils.AddChain256(100);
        }

        Allocations.InSteadyState(() => clock.GetNanoseconds()).Should().Be(0);
        clock.Dispose();
        clock.Invoking(c => c.GetNanoseconds()).Should().Throw<ObjectDisposedException>();
    }

    /// <summary>The owner may be reading the page, which must then remain mapped.</summary>
    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    public void Only_the_owner_unmaps_the_page_while_it_runs()
    {
        using var machine = new SimulatedThread();
        using var file = new TestHandle();
        ThreadCpuClock clock = machine.NewClock(file);
        NewThread.Run(clock.Dispose);
        file.IsClosed.Should().BeFalse();
        clock.Invoking(c => c.GetNanoseconds()).Should().Throw<ObjectDisposedException>();
        clock.Dispose();
        file.IsClosed.Should().BeTrue();

        using var other = new TestHandle();
        ThreadCpuClock ofEnded = NewThread.Run(() => machine.NewClock(other));
        ofEnded.Dispose();
        other.IsClosed.Should().BeTrue("its thread has ended");
    }

    private sealed class TestHandle() : SafeHandle(0, ownsHandle: true)
    {
        public override bool IsInvalid => false;

        protected override bool ReleaseHandle() => true;
    }

    /// <summary>A thread on a machine whose CPU counter does not advance: its time passes only when the test sets it.</summary>
    private sealed class SimulatedThread : IDisposable
    {
        public SimulatedPage Page { get; } = new() { OffersTime = true, TimeRunning = 5_000_000 };

        /// <summary>The kernel's clock of the thread.</summary>
        public long Nanoseconds { get; private set; } = 8_000_000;

        public int SystemCalls { get; private set; }

        /// <summary>Runs after the kernel has read its clock.</summary>
        public Action? AfterCall { get; set; }

        public ThreadCpuClock NewClock(SafeHandle? file = null) =>
            new(Page.Address, NativeShim.Current.ReadThreadTime, ReadSystem, file);

        /// <summary>Runs the thread; some of the time is lost for the page or, if negative, for the kernel.</summary>
        public void Run(long nanoseconds, long lost = 0)
        {
            Nanoseconds += nanoseconds + Math.Max(lost, 0);
            Page.TimeOffset += (ulong)(nanoseconds + Math.Max(-lost, 0));
        }

        /// <summary>The thread leaves the CPU and returns.</summary>
        public void Switch(long lost)
        {
            Nanoseconds += lost;
            Page.Lock++;
            Page.TimeRunning += Page.TimeOffset;
            Page.TimeOffset = 0;
            Page.Lock++;
        }

        public void Dispose() => Page.Dispose();

        private long ReadSystem()
        {
            SystemCalls++;
            long now = Nanoseconds;
            AfterCall?.Invoke();
            return now;
        }
    }
}
