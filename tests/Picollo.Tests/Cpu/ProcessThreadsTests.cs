using Picollo.Cpu;
using Picollo.TestKit;

namespace Picollo.Tests.Cpu;

public class ProcessThreadsTests
{
    /// <summary>Reads the thread while it is in a flow, and after it has left the flow.</summary>
    [FactNeeding(Need.Linux)]
    public void A_thread_has_its_name_and_its_CPU_time_in_watched_flows()
    {
        var amount = TimeSpan.FromMilliseconds(60);
        var threads = new ProcessThreads();
        ProcessThread during = default, after = default;
        var thread = new Thread(() =>
        {
            Own(); // compiles the code outside the flow
            Burn.User(amount);
            using (new CpuUsageAsyncWatcher(CpuUsageDetail.TotalOnly))
            {
                Burn.User(amount);
                during = Own();
            }

            Burn.User(amount);
            after = Own();
        })
        { Name = "a name that Linux truncates" };
        thread.Start();
        thread.Join();

        long burnt = (long)amount.TotalNanoseconds, half = burnt / 2;
        during.WatchedNanoseconds.Should().BeInRange(burnt, burnt + half);
        after.WatchedNanoseconds.Should().BeInRange(during.WatchedNanoseconds, during.WatchedNanoseconds + half);
        after.TotalNanoseconds.Should().BeGreaterThanOrEqualTo(after.WatchedNanoseconds + (2 * burnt) - half);

        ProcessThread Own() => threads.Read().Single(one => one.Name == "a name that Lin");
    }

    [FactNeeding(Need.Linux)]
    public void The_time_in_watched_flows_includes_threads_that_have_ended()
    {
        ProcessThreads threads = new();
        threads.Read();
        long before = threads.WatchedNanoseconds;
        long watched = OnNewThread(isEndReported: true);
        threads.Read();
        (threads.WatchedNanoseconds - before).Should().BeGreaterThanOrEqualTo(watched);

        // Each replaces the thread that has ended.
        watched += OnNewThread(isEndReported: true) + OnNewThread(isEndReported: false) + OnNewThread(isEndReported: true);
        threads.Read();
        (threads.WatchedNanoseconds - before).Should().BeGreaterThanOrEqualTo(watched);

        static long OnNewThread(bool isEndReported)
        {
            long watched = NewThread.Run(
                () =>
                {
                    CpuUsageAsyncWatcher watcher = new(CpuUsageDetail.TotalOnly);
                    Burn.User(TimeSpan.FromMilliseconds(20));
                    using CpuUsageAsyncWatcher inner = new(CpuUsageDetail.TotalOnly); // measures the thread
                    if (isEndReported)
                    {
                        watcher.Stop();
                    }

                    return watcher.GetTotalNanoseconds();
                },
                flow: false);
            watched.Should().BePositive();
            return watched;
        }
    }

    /// <summary>The time is also in the total of the watcher.</summary>
    [Fact]
    public void The_time_in_watched_flows_includes_a_segment_that_its_watcher_no_longer_counts()
    {
        using ManualResetEventSlim burnt = new(), mayLeave = new();
        ThreadSegment segment = null!;
        var watcher = new CpuUsageAsyncWatcher(CpuUsageDetail.TotalOnly);
        Thread thread = new(() =>
        {
            segment = ThreadSegment.OfThread!;
            Burn.User(TimeSpan.FromMilliseconds(20));
            burnt.Set();
            mayLeave.Wait();
        });
        thread.Start();
        burnt.Wait();
        watcher.Stop();
        long stopped = segment.GetWatchedNanoseconds();
        mayLeave.Set();
        thread.Join();
        long left = segment.GetWatchedNanoseconds();

        stopped.Should().BeGreaterThanOrEqualTo(20_000_000);
        left.Should().BeGreaterThanOrEqualTo(stopped);
    }
}
