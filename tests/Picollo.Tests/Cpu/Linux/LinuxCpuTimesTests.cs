using System.Diagnostics;
using Picollo.Cpu;
using Picollo.Cpu.Linux;

namespace Picollo.Tests.Cpu.Linux;

/// <summary>Tests the readers on Linux, in addition to the tests on every system.</summary>
public sealed class LinuxCpuTimesTests
{
    /// <summary>A reading that does not make the kernel account the running time slice has the resolution of a tick, 1 to 10 ms.</summary>
    [FactNeeding(Need.Linux)]
    public void Splits_have_a_resolution_of_microseconds()
    {
        foreach (Func<CpuUsage> usage in (Func<CpuUsage>[])[CpuUsageReader.GetByThread, () => ResourceUsage.GetByThread().Cpu])
        {
            List<long> steps = [];
            for (long last = usage().TotalNanoseconds; steps.Count < 1_001;)
            {
                long now = usage().TotalNanoseconds;
                if (now != last)
                {
                    steps.Add(now - last);
                    last = now;
                }
            }

            steps.Order().ElementAt(500).Should().BeInRange(1, 200_000);
        }
    }

    [FactNeeding(Need.Linux)]
    public void The_sum_of_user_and_kernel_time_equals_the_clock_within_microseconds()
    {
        for (int i = 0; i < 1_000; i++)
        {
            // The time between the two calls is not longer than the time between the readings around them.
            long before = CpuUsageReader.GetThreadTimeNanoseconds();
            long split = CpuUsageReader.GetByThread().TotalNanoseconds;
            long after = CpuUsageReader.GetThreadTimeNanoseconds();
            split.Should().BeInRange(before - 2_000, after, "user and kernel time are each truncated to a microsecond");
        }
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void A_proc_of_another_PID_namespace_is_not_used()
    {
        var times = new LinuxCpuTimes(ownIdInProc: Environment.ProcessId + 1);
        using Process child = Child.Busy();
        WithOtherThread(thread =>
        {
            times.TryGetSplit(ResourceOwner.Process, child.Id, out CpuUsage split, out MeasurementUnavailableException? failure).Should().BeFalse();
            failure!.Message.Should().StartWith($"The user and kernel time of process {child.Id} ").And.EndWith(LinuxReasons.OtherNamespace);
            split.Should().Be(default(CpuUsage));
            times.TryGetSplit(ResourceOwner.Thread, thread, out split, out failure).Should().BeFalse();
            failure!.Message.Should().StartWith($"The user and kernel time of thread {thread} ").And.EndWith(LinuxReasons.OtherNamespace);
            times.TryGetTotal(ResourceOwner.Process, child.Id, out long total, out _).Should().BeTrue("clocks use the IDs of this namespace");
            total.Should().BePositive();
            new LinuxCpuTimes(ownIdInProc: null).TryGetSplit(ResourceOwner.Process, child.Id, out split, out _).Should().BeTrue();
        });
        Child.End(child);

        times.TryGetSplit(ResourceOwner.Process, Environment.ProcessId, out _, out _).Should().BeTrue("this process does not need a file");
        times.TryGetSplit(ResourceOwner.Thread, CpuUsageReader.GetThreadId(), out _, out _).Should().BeTrue();
    }

    /// <summary>The files count whole ticks of 10 ms, for user and for kernel time, so up to two ticks would be missing in their sum.</summary>
    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void The_total_of_another_thread_or_process_equals_its_clock()
    {
        WithOtherThread(thread =>
        {
            long before = CpuUsageReader.GetThreadTimeNanoseconds(thread);
            long total = CpuUsageReader.GetByThread(thread).TotalNanoseconds;
            total.Should().BeInRange(before, CpuUsageReader.GetThreadTimeNanoseconds(thread));
        });

        using Process child = Child.Busy();
        for (int i = 0; i < 20; i++)
        {
            long before = CpuUsageReader.GetProcessTimeNanoseconds(child.Id);
            long total = CpuUsageReader.GetByProcess(child.Id).TotalNanoseconds;
            total.Should().BeInRange(before, CpuUsageReader.GetProcessTimeNanoseconds(child.Id));
        }

        Child.End(child);
    }

    /// <summary>Passes the ID of a waiting thread that has used 15 ms, one and a half ticks.</summary>
    private static void WithOtherThread(Action<long> read)
    {
        using var burnt = new ManualResetEventSlim();
        using var done = new ManualResetEventSlim();
        long id = 0;
        var thread = new Thread(() =>
        {
            id = CpuUsageReader.GetThreadId();
            Burn.User(TimeSpan.FromMilliseconds(15));
            burnt.Set();
            done.Wait();
        });
        thread.Start();
        burnt.Wait();
        try
        {
            read(id);
        }
        finally
        {
            done.Set();
            thread.Join();
        }
    }

    /// <summary>The number of a clock contains the ID. These IDs would give the number of another clock, or of a clock of
    /// this process.</summary>
    [FactNeeding(Need.Linux)]
    public void Impossible_IDs_are_not_found()
    {
        long[] ids = [1 << 22, (1 << 29) - 1, 1 << 29, (1 << 29) + Environment.ProcessId, int.MaxValue];
        foreach (long id in ids)
        {
            CpuUsageReader.TryGetProcessTimeNanoseconds((int)id, out _, out MeasurementUnavailableException? failure).Should().BeFalse($"process {id} does not exist");
            failure!.Message.Should().Contain($"process {id}");
            CpuUsageReader.TryGetByProcess((int)id, out _, out _).Should().BeFalse($"process {id} does not exist");
            CpuUsageReader.TryGetThreadTimeNanoseconds(id, out _, out failure).Should().BeFalse($"thread {id} does not exist");
            failure!.Message.Should().Contain($"thread {id}");
            CpuUsageReader.TryGetByThread(id, out _, out _).Should().BeFalse($"thread {id} does not exist");
        }

        CpuUsageReader.TryGetThreadTimeNanoseconds((1L << 32) + CpuUsageReader.GetThreadId(), out _, out _).Should().BeFalse();
        CpuUsageReader.TryGetByThread(long.MaxValue, out _, out _).Should().BeFalse();
    }

    [FactNeeding(Need.Linux)]
    public void A_thread_ID_is_not_accepted_as_a_process_ID()
    {
        (long id, bool own) = NewThread.Run(() =>
        {
            long id = CpuUsageReader.GetThreadId();
            bool isRead = CpuUsageReader.TryGetByProcess((int)id, out _, out _)
                || CpuUsageReader.TryGetProcessTimeNanoseconds((int)id, out _, out _);
            return (id, isRead);
        });

        id.Should().NotBe(Environment.ProcessId);
        own.Should().BeFalse("not even if it is the ID of the calling thread");
        CpuUsageReader.TryGetByProcess(Environment.ProcessId, out _, out _).Should().BeTrue();
    }
}
