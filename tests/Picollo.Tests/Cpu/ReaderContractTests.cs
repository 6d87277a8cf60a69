using System.Diagnostics;
using System.Globalization;
using System.Text.RegularExpressions;
using Picollo.Cpu;
using static Picollo.Tests.Cpu.Steps;

namespace Picollo.Tests.Cpu;

/// <summary>
/// The contract of the readers of every system, tested on this system; tests/HelperApp runs the same tests under Wine.
/// </summary>
[Collection(nameof(ReaderContractTests))]
[CollectionDefinition(nameof(ReaderContractTests), DisableParallelization = true)]
public class ReaderContractTests
{
    private const int UnknownId = int.MaxValue - 3; // larger than IDs of Linux and macOS, and not a multiple of four, unlike IDs of Windows

    private static readonly TimeSpan Amount = TimeSpan.FromMilliseconds(150);
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    private static readonly TimeSpan SplitStep = Steps.OfSplit;
    private static readonly TimeSpan TotalStep = Steps.OfTotal;

    public ReaderContractTests() => Burn.ResetExcludedTime();

    [Fact]
    public void This_system_is_supported()
    {
        CpuUsageReader.UnavailableReason.Should().BeNull();
        CpuUsageReader.IsSupported.Should().BeTrue();
        CpuUsageAsyncWatcher.IsSupported.Should().BeTrue();
    }

    [Fact]
    [Trait("Category", "Slow")]
    public void A_burn_on_this_thread_counts_as_user_time()
    {
        CpuUsage before = CpuUsageReader.GetByThread();
        TimeSpan burnt = Burn.User(Amount);
        CpuUsage taken = CpuUsageReader.GetByThread() - before;

        ShouldBeAbout(taken.Total, burnt, SplitStep);
        taken.User.Should().BeGreaterThan(burnt * 0.7 - (2 * SplitStep));
    }

    [Fact]
    [Trait("Category", "Slow")]
    public void Work_in_the_kernel_counts_as_kernel_time()
    {
        CpuUsage before = CpuUsageReader.GetByThread();
        TimeSpan burnt = Burn.Kernel(Amount);
        CpuUsage taken = CpuUsageReader.GetByThread() - before;

        ShouldBeAbout(taken.Total, burnt, SplitStep);
        taken.Kernel.Should().BeGreaterThan(burnt * 0.4 - (2 * SplitStep));
    }

    [Fact]
    [Trait("Category", "Slow")]
    public void A_burn_counts_in_the_total_of_this_thread()
    {
        long before = CpuUsageReader.GetThreadTimeNanoseconds();
        TimeSpan burnt = Burn.User(Amount);
        long taken = CpuUsageReader.GetThreadTimeNanoseconds() - before;

        ShouldBeAbout(Nanoseconds(taken), burnt, TotalStep);
    }

    [Fact]
    [Trait("Category", "Slow")]
    public void A_sleeping_thread_uses_no_time()
    {
        long total = CpuUsageReader.GetThreadTimeNanoseconds();
        CpuUsage split = CpuUsageReader.GetByThread();
        Thread.Sleep(Amount);

        ShouldBeAbout(Nanoseconds(CpuUsageReader.GetThreadTimeNanoseconds() - total), TimeSpan.Zero, TotalStep);
        ShouldBeAbout((CpuUsageReader.GetByThread() - split).Total, TimeSpan.Zero, SplitStep);
    }

    [Fact]
    [Trait("Category", "Slow")]
    public void The_process_also_counts_ended_threads()
    {
        long total = CpuUsageReader.GetProcessTimeNanoseconds();
        CpuUsage split = CpuUsageReader.GetByProcess();
        long start = Stopwatch.GetTimestamp();
        TimeSpan burnt = default;
        RunThread(() => burnt = Burn.User(Amount));

        TimeSpan taken = (CpuUsageReader.GetByProcess() - split).Total;
        TimeSpan takenInTotal = Nanoseconds(CpuUsageReader.GetProcessTimeNanoseconds() - total);
        TimeSpan possible = Stopwatch.GetElapsedTime(start) * Environment.ProcessorCount;

        // Other threads of the runtime may also use CPU time.
        taken.Should().BeGreaterThan(burnt * 0.95 - (2 * SplitStep)).And.BeLessThan(possible + (2 * SplitStep));
        takenInTotal.Should().BeGreaterThan(burnt * 0.95 - (2 * TotalStep)).And.BeLessThan(possible + (2 * SplitStep));
    }

    [Fact]
    [Trait("Category", "Slow")]
    public void Readings_never_decrease()
    {
        var readings = new Func<long>[]
        {
            () => CpuUsageReader.GetByThread().UserNanoseconds,
            () => CpuUsageReader.GetByThread().KernelNanoseconds,
            () => CpuUsageReader.GetThreadTimeNanoseconds(),
            () => CpuUsageReader.GetByProcess().UserNanoseconds,
            () => CpuUsageReader.GetByProcess().KernelNanoseconds,
            () => CpuUsageReader.GetProcessTimeNanoseconds(),
            () => CpuUsageReader.GetByThread(CpuUsageReader.GetThreadId()).UserNanoseconds,
            () => CpuUsageReader.GetByThread(CpuUsageReader.GetThreadId()).KernelNanoseconds,
            () => CpuUsageReader.GetThreadTimeNanoseconds(CpuUsageReader.GetThreadId()),
            () => CpuUsageReader.GetByProcess(Environment.ProcessId).UserNanoseconds,
            () => CpuUsageReader.GetByProcess(Environment.ProcessId).KernelNanoseconds,
            () => CpuUsageReader.GetProcessTimeNanoseconds(Environment.ProcessId),
        };
        long[] last = new long[readings.Length];

        for (int round = 0; round < 3_000; round++)
        {
            for (int i = 0; i < readings.Length; i++)
            {
                long now = readings[i]();
                if (now < last[i]) // an assertion for each of a hundred thousand readings would be slow
                {
                    now.Should().BeGreaterThanOrEqualTo(last[i], "reading {0} must not decrease, as it did in round {1}", i, round);
                }

                last[i] = now;
            }
        }

        last[2].Should().BePositive();
    }

    [Fact]
    [Trait("Category", "Slow")]
    public void Another_thread_is_read_by_its_ID()
    {
        using var burnt = new ManualResetEventSlim();
        using var done = new ManualResetEventSlim();
        long id = 0;
        TimeSpan amount = default;
        var thread = new Thread(() =>
        {
            id = CpuUsageReader.GetThreadId();
            amount = Burn.User(Amount);
            burnt.Set();
            done.Wait();
        });
        thread.Start();
        burnt.Wait(Patience).Should().BeTrue();

        CpuUsage split = CpuUsageReader.GetByThread(id);
        long total = CpuUsageReader.GetThreadTimeNanoseconds(id);
        done.Set();
        thread.Join();

        id.Should().NotBe(CpuUsageReader.GetThreadId());
        ShouldBeAbout(split.Total, amount, SplitStep);
        ShouldBeAbout(Nanoseconds(total), amount, TotalStep);
    }

    [Fact]
    public void This_thread_and_process_can_be_read_by_their_IDs()
    {
        Burn.User(TimeSpan.FromMilliseconds(40));
        TimeSpan thread = CpuUsageReader.GetByThread().Total;
        ShouldBeAbout(CpuUsageReader.GetByThread(CpuUsageReader.GetThreadId()).Total, thread, SplitStep);

        TimeSpan process = CpuUsageReader.GetByProcess().Total;
        ShouldBeAbout(CpuUsageReader.GetByProcess(Environment.ProcessId).Total, process, SplitStep);
    }

    [Fact]
    public void A_thread_that_has_ended_is_reported_as_ended()
    {
        long id = 0;
        var thread = new Thread(() => id = CpuUsageReader.GetThreadId());
        thread.Start();
        thread.Join();

        // The managed thread ends slightly before the thread of the system.
        Until(() => !CpuUsageReader.TryGetByThread(id, out _, out _));
        CpuUsageReader.TryGetByThread(id, out CpuUsage usage, out MeasurementUnavailableException? failure).Should().BeFalse();
        usage.Should().Be(default(CpuUsage));
        failure!.Message.Should().Contain("ended").And.Contain(id.ToString(CultureInfo.InvariantCulture));
        CpuUsageReader.TryGetThreadTimeNanoseconds(id, out long total, out failure).Should().BeFalse();
        total.Should().Be(0);
        failure!.Message.Should().Contain("ended");

        GC.KeepAlive(thread); // prevents Windows from giving the ID to another thread
    }

    [Fact]
    [Trait("Category", "Slow")]
    public void Another_process_is_read_by_its_ID_until_it_ends()
    {
        using Process child = Child.Busy();
        try
        {
            long total = CpuUsageReader.GetProcessTimeNanoseconds(child.Id);
            CpuUsage split = CpuUsageReader.GetByProcess(child.Id);
            Until(() => Nanoseconds(CpuUsageReader.GetProcessTimeNanoseconds(child.Id) - total) > Amount);
            Until(() => (CpuUsageReader.GetByProcess(child.Id) - split).Total > Amount);

            TimeSpan before = ProcessorTime(child);
            TimeSpan read = CpuUsageReader.GetByProcess(child.Id).Total;
            TimeSpan after = ProcessorTime(child);
            read.Should().BeGreaterThan(before - SplitStep).And.BeLessThan(after + SplitStep);
        }
        finally
        {
            Child.End(child);
        }

        Until(() => !CpuUsageReader.TryGetByProcess(child.Id, out _, out _));
        CpuUsageReader.TryGetByProcess(child.Id, out CpuUsage usage, out MeasurementUnavailableException? failure).Should().BeFalse();
        usage.Should().Be(default(CpuUsage));
        failure!.Message.Should().Contain("exited").And.Contain(child.Id.ToString(CultureInfo.InvariantCulture));
        CpuUsageReader.TryGetProcessTimeNanoseconds(child.Id, out _, out failure).Should().BeFalse();
        failure!.Message.Should().Contain("exited");
    }

    [Fact]
    [Trait("Category", "Slow")]
    public void A_thread_of_another_process_is_not_found()
    {
        using Process child = Child.Busy();
        try
        {
            // On Linux, the first thread of a process has the ID of the process.
            long id = OperatingSystem.IsWindows() ? child.Threads[0].Id : child.Id;
            CpuUsageReader.TryGetByThread(id, out _, out MeasurementUnavailableException? failure).Should().BeFalse();
            failure!.Message.Should().Contain("This process has no thread").And.Contain("GetThreadId()");
            CpuUsageReader.TryGetThreadTimeNanoseconds(id, out _, out failure).Should().BeFalse();
            failure!.Message.Should().Contain("This process has no thread");
        }
        finally
        {
            Child.End(child);
        }
    }

    [Fact]
    public void The_reason_for_an_unknown_ID_contains_the_ID()
    {
        foreach (long id in new[] { UnknownId, (long)int.MaxValue + 1, (1L << 32) + 4, long.MaxValue })
        {
            CpuUsageReader.TryGetByThread(id, out _, out MeasurementUnavailableException? failure).Should().BeFalse();
            failure!.Message.Should().Contain(id.ToString(CultureInfo.InvariantCulture));
            CpuUsageReader.TryGetThreadTimeNanoseconds(id, out _, out failure).Should().BeFalse();
            failure!.Message.Should().Contain(id.ToString(CultureInfo.InvariantCulture));
        }

        CpuUsageReader.TryGetByProcess(UnknownId, out _, out MeasurementUnavailableException? process).Should().BeFalse();
        process!.Message.Should().Contain(UnknownId.ToString(CultureInfo.InvariantCulture));

        new Action(() => CpuUsageReader.GetByThread(UnknownId)).Should().Throw<MeasurementUnavailableException>();
        new Action(() => CpuUsageReader.GetByProcess(UnknownId)).Should().Throw<MeasurementUnavailableException>().WithMessage(process.Message);
        new Action(() => CpuUsageReader.GetThreadTimeNanoseconds(UnknownId)).Should().Throw<MeasurementUnavailableException>();
        new Action(() => CpuUsageReader.GetProcessTimeNanoseconds(UnknownId)).Should().Throw<MeasurementUnavailableException>();
    }

    [Fact]
    public void An_ID_that_differs_only_in_its_last_two_bits_is_not_found()
    {
        // Windows ignores the last two bits of an ID when it opens one.
        long thread = CpuUsageReader.GetThreadId();
        TimeSpan own = CpuUsageReader.GetByProcess().Total;
        if (OperatingSystem.IsWindows())
        {
            CpuUsageReader.TryGetByThread(thread + 1, out _, out MeasurementUnavailableException? failure).Should().BeFalse();
            failure!.Message.Should().Contain("no thread");
            CpuUsageReader.TryGetByProcess(Environment.ProcessId + 1, out _, out failure).Should().BeFalse();
            failure!.Message.Should().Contain("no process");
        }

        CpuUsageReader.TryGetByThread(thread, out _, out _).Should().BeTrue();
        own.Should().BePositive();
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    [InlineData(int.MinValue)]
    public void An_ID_below_one_is_rejected(int id)
    {
        new Action(() => CpuUsageReader.GetByThread(id)).Should().Throw<ArgumentOutOfRangeException>().WithParameterName("threadId");
        new Action(() => CpuUsageReader.GetThreadTimeNanoseconds(id)).Should().Throw<ArgumentOutOfRangeException>().WithParameterName("threadId");
        new Action(() => CpuUsageReader.GetByProcess(id)).Should().Throw<ArgumentOutOfRangeException>().WithParameterName("processId");
        new Action(() => CpuUsageReader.GetProcessTimeNanoseconds(id)).Should().Throw<ArgumentOutOfRangeException>().WithParameterName("processId");
    }

    [Fact]
    [Trait("Category", "Slow")]
    public void Ended_children_are_counted_if_the_system_counts_them()
    {
        if (OperatingSystem.IsWindows())
        {
            CpuUsageReader.TryGetByChildren(out CpuUsage none, out MeasurementUnavailableException? failure).Should().BeFalse();
            none.Should().Be(default(CpuUsage));
            failure!.Message.Should().Contain("Windows").And.Contain("children");
            return;
        }

        CpuUsage before = CpuUsageReader.GetByChildren();
        string times = Child.RunToCompletion();
        TimeSpan own = TimeSpan.FromSeconds(Regex.Matches(times.Split('\n')[0], @"(\d+)m([\d.]+)s").Sum(match =>
            (60 * double.Parse(match.Groups[1].Value, CultureInfo.InvariantCulture))
            + double.Parse(match.Groups[2].Value, CultureInfo.InvariantCulture)));

        own.Should().BeGreaterThan(TimeSpan.FromMilliseconds(20), times);
        (CpuUsageReader.GetByChildren() - before).Total.Should().BeGreaterThan(own * 0.95 - SplitStep).And.BeLessThan(own * 1.5 + SplitStep);
    }

    [Fact]
    public void Readings_close_all_handles()
    {
        long thread = CpuUsageReader.GetThreadId();
        void Read()
        {
            CpuUsageReader.GetByThread();
            CpuUsageReader.GetByThread(thread);
            CpuUsageReader.GetThreadTimeNanoseconds(thread);
            CpuUsageReader.GetByProcess(Environment.ProcessId);
            CpuUsageReader.GetProcessTimeNanoseconds(Environment.ProcessId);
            CpuUsageReader.TryGetByThread(UnknownId, out _, out _);
            CpuUsageReader.TryGetByThread(thread + 1, out _, out _);
            CpuUsageReader.TryGetByProcess(UnknownId, out _, out _);
            CpuUsageReader.TryGetByProcess(Environment.ProcessId + 1, out _, out _);
        }

        Read();
        int before = OpenHandles();
        for (int i = 0; i < 1_000; i++)
        {
            Read();
        }

        // The runtime may open some handles in the meantime; a leak would add a thousand.
        OpenHandles().Should().BeLessThan(before + 200);
    }

    private static TimeSpan ProcessorTime(Process process)
    {
        process.Refresh();
        return process.TotalProcessorTime;
    }

    private static void RunThread(Action work)
    {
        var thread = new Thread(() => work());
        thread.Start();
        thread.Join();
    }

    private static void Until(Func<bool> condition)
    {
        long start = Stopwatch.GetTimestamp();
        while (!condition())
        {
            Stopwatch.GetElapsedTime(start).Should().BeLessThan(Patience);
            Thread.Sleep(1);
        }
    }

    private static int OpenHandles()
    {
        if (OperatingSystem.IsWindows() && IsWine)
        {
            // Wine does not count handles; it assigns the lowest free number, a multiple of four.
            using var next = new EventWaitHandle(false, EventResetMode.ManualReset);
            return (int)next.SafeWaitHandle.DangerousGetHandle() / 4;
        }

        using Process self = Process.GetCurrentProcess();
        return OperatingSystem.IsWindows() ? self.HandleCount : Directory.GetFileSystemEntries("/dev/fd").Length;
    }
}
