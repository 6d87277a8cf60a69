using System.Diagnostics;
using Picollo.PerfEvent;
using Picollo.Tests.PerfEvent;

namespace Picollo.Diagnostics.Tests;

/// <summary>Tests commands that take seconds of CPU time. They are a separate class, so that they run in parallel with commands that take
/// none.</summary>
[Trait("Category", "Slow")]
public sealed class BusyCommandTests
{
    // One second of CPU time in the kernel's ticks, whatever the elapsed time. As little as 0.85 s by the kernel's clock has been observed.
    private const string BurnASecond = "(exec 2> /dev/null; ulimit -t 1; while :; do :; done)";

    private static CommandMeter Meter { get; } = new();

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    public void CPU_time_of_children_is_included_and_the_clock_continues()
    {
        long start = Stopwatch.GetTimestamp();
        CommandRun run = Meter.Run("/bin/sh", "-c", $"{BurnASecond}; {BurnASecond}; true");
        long elapsed = (long)Stopwatch.GetElapsedTime(start).TotalNanoseconds;

        run.ExitCode.Should().Be(0);
        run.Usage.Cpu.Total.Should().BeGreaterThan(TimeSpan.FromSeconds(1.3)).And.BeLessThan(TimeSpan.FromSeconds(2.5));
        run.Usage.Cpu.User.Should().BeGreaterThan(TimeSpan.FromSeconds(1), "a loop takes user time");
        run.ElapsedNanoseconds.Should().BeInRange(1_300_000_000, elapsed);
        run.Elapsed.Should().Be(TimeSpan.FromTicks(run.ElapsedNanoseconds / 100));
    }

    [FactNeeding(Need.PerfEvents)]
    public void Counters_start_with_the_command_and_include_its_children()
    {
        // Nearly all of the time is in user space, which every user may count.
        bool countsKernel = Needs.WhyNot(Need.KernelCounters) is null;
        CommandMeter meter = new(PerfEventCounterSession.Factory.WithPerfEvents("task-clock,page-faults").WithKernel(countsKernel));
        CommandRun run = meter.Run("/bin/sh", "-c", $"{BurnASecond}; true");

        run.Counters.Select(counter => (counter.Name, counter.IsTime, counter.RunningShare)).Should().Equal(("task-clock", true, 1), ("page-faults", false, 1));

        // Unlike the CPU time, the counter includes the time that a hypervisor and interrupts took from the processor. One process runs at
        // a time.
        ((double)run.Counters[0].Value).Should().BeInRange(run.Usage.Cpu.TotalNanoseconds - 0.1e9, run.ElapsedNanoseconds + 0.1e9);
        ((double)run.Counters[1].Value).Should().BeApproximately(run.Usage.MinorPageFaults + run.Usage.MajorPageFaults, countsKernel ? 10 : 30);
        run.UnavailableCounters.Should().BeEmpty();
    }

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    public void Threads_of_the_command_and_its_children_are_observed()
    {
        CommandMeter meter = new() { ThreadInterval = TimeSpan.FromMilliseconds(10) };
        CommandRun run = meter.Run(MeasuredCommand.FromText($"{BurnASecond} & {BurnASecond} & wait"));

        run.Threads.Should().HaveCountGreaterThanOrEqualTo(3).And.OnlyContain(thread => thread.Name == "sh");
        run.Threads.Should().BeInDescendingOrder(thread => thread.CpuNanoseconds);
        long seen = run.Threads.Sum(thread => thread.CpuNanoseconds);
        seen.Should().BeLessThanOrEqualTo(run.Usage.Cpu.TotalNanoseconds + 20_000_000)
            .And.BeGreaterThan(run.Usage.Cpu.TotalNanoseconds / 10);
        run.Threads.Should().Contain(thread => thread.CpuNanoseconds % 10_000_000 != 0, "times are in nanoseconds, not in the kernel's ticks");
        run.Threads[0].ProcessId.Should().Be((int)run.Threads[0].ThreadId, "a shell has one thread");
    }
}
