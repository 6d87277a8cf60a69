using Picollo.Cpu;
using Picollo.TestKit;

namespace Picollo.Tests.Cpu;

public class ProcessThreadsTests
{
    /// <summary>Reads the thread while it is in a flow, and after it has left the flow.</summary>
    [FactNeeding(Need.Linux)]
    public void A_thread_has_its_name_and_its_CPU_time_in_watched_flows()
    {
        var amount = TimeSpan.FromMilliseconds(20);
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
        long watched = OnNewThread();
        threads.Read();
        (threads.WatchedNanoseconds - before).Should().BeGreaterThanOrEqualTo(watched);

        watched += OnNewThread(); // replaces the thread that has ended
        threads.Read();
        (threads.WatchedNanoseconds - before).Should().BeGreaterThanOrEqualTo(watched);

        static long OnNewThread()
        {
            long watched = 0;
            Thread thread = new(() =>
            {
                CpuUsageAsyncWatcher watcher = new(CpuUsageDetail.TotalOnly);
                Burn.User(TimeSpan.FromMilliseconds(20));
                watcher.Stop();
                watched = watcher.GetTotalNanoseconds();
            });
            thread.Start();
            thread.Join();
            watched.Should().BePositive();
            return watched;
        }
    }
}
