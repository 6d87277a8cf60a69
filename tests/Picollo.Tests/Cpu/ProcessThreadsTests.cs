using Picollo.Cpu;
using Picollo.TestKit;

namespace Picollo.Tests.Cpu;

public class ProcessThreadsTests
{
    /// <summary>While it is in a flow, and when it has left it.</summary>
    [FactNeeding(Need.Linux)]
    public void A_thread_has_its_name_and_what_it_took_in_watched_flows()
    {
        var amount = TimeSpan.FromMilliseconds(20);
        var threads = new ProcessThreads();
        ProcessThread during = default, after = default;
        var thread = new Thread(() =>
        {
            Own(); // compiles what the flow would take otherwise
            Burn.User(amount);
            using (new CpuUsageAsyncWatcher(CpuUsageDetail.TotalOnly))
            {
                Burn.User(amount);
                during = Own();
            }

            Burn.User(amount);
            after = Own();
        })
        { Name = "a name that Linux cuts" };
        thread.Start();
        thread.Join();

        long burnt = (long)amount.TotalNanoseconds, half = burnt / 2;
        during.WatchedNanoseconds.Should().BeInRange(burnt, burnt + half);
        after.WatchedNanoseconds.Should().BeInRange(during.WatchedNanoseconds, during.WatchedNanoseconds + half);
        after.TotalNanoseconds.Should().BeGreaterThanOrEqualTo(after.WatchedNanoseconds + (2 * burnt) - half);

        ProcessThread Own() => threads.Read().Single(one => one.Name == "a name that Lin");
    }
}
