using Picollo.Cpu;
using Picollo.Profiling.Waits;

namespace Picollo.Profiling.Tests.Waits;

[Collection(Alone.Name)] // work of other tests would wake the thread pool
[Trait("Category", "Slow")]
public class WaitProfilerTests
{
    [FactNeeding(Need.Linux)]
    public void Work_that_is_queued_directly_after_the_start_has_its_time_in_the_queue()
    {
        FlowLabel label = new("GET", "/queued");
        using WaitProfiler profiler = WaitProfiler.Start();
        using ManualResetEventSlim done = new();
        ThreadPool.UnsafeQueueUserWorkItem(
            _ =>
            {
                new CpuUsageAsyncWatcher { Label = label }.Dispose();
                done.Set();
            },
            null);
        done.Wait();

        WaitProfile profile = profiler.Stop();

        profile.Rows.Should().ContainSingle(row => row.Label == label && row.Kind == WaitProfile.PoolQueueBefore).Which.Count.Should().Be(1);
    }

    [FactNeeding(Need.Linux)]
    public void A_wait_that_is_interrupted_does_not_last_until_the_end_and_later_waits_count()
    {
        object gate = new();
        Lock managed = new();
        (string Name, Action Wait)[] waits =
        [
            ("monitor", () => Monitor.Enter(gate)), ("lock", managed.Enter), ("semaphore", () => new SemaphoreSlim(0).Wait()),
            ("event", () => new ManualResetEvent(false).WaitOne()),
        ];
        int interrupted = 0;
        bool isStopped = false;
        using WaitProfiler profiler = WaitProfiler.Start();
        WaitProfile profile;
        lock (gate)
        {
            using (managed.EnterScope())
            {
                Thread[] threads =
                [
                    .. waits.SelectMany(wait => (Thread[])
                    [
                        Interrupt(wait.Name, wait.Wait, () => { }),
                        Interrupt(wait.Name + " later", wait.Wait, () => new ManualResetEvent(false).WaitOne(1)),
                    ]),
                ];
                SpinWait.SpinUntil(() => Volatile.Read(ref interrupted) == threads.Length);
                profile = profiler.Stop();
                Volatile.Write(ref isStopped, true);
                Array.ForEach(threads, thread => thread.Join());
            }
        }

        profile.Rows.Where(row => row.Label.Method == "TEST").Select(row => $"{row.Label.Name}: {row.Kind} {row.Count}")
            .Should().BeEquivalentTo(waits.Select(wait => $"{wait.Name} later: WaitHandle.WaitOne 1"));

        Thread Interrupt(string name, Action wait, Action after)
        {
            Thread thread = new(() =>
            {
                using CpuUsageAsyncWatcher watcher = new() { Label = new FlowLabel("TEST", name) };
                using (new CpuUsageAsyncWatcher())
                {
                    Thread.CurrentThread.Interrupt(); // at its next wait
                    Record.Exception(wait).Should().BeOfType<ThreadInterruptedException>();
                }

                after();
                Interlocked.Increment(ref interrupted);
                while (!Volatile.Read(ref isStopped))
                {
                    Thread.Sleep(1);
                }
            });
            thread.Start();
            return thread;
        }
    }

    [FactNeeding(Need.Linux)]
    public void Without_diagnostics_the_reason_is_reported()
    {
        using ProfiledProcess process = ProfiledProcess.Start("profiled", new() { ["DOTNET_EnableDiagnostics"] = "0" });

        Action start = () => WaitProfiler.Start(process.Id).Dispose();

        start.Should().Throw<MeasurementUnavailableException>().WithMessage(
            "Waits cannot be measured: the process was started with DOTNET_EnableDiagnostics=0; start it without this setting.");
    }

    [FactNeeding(Need.Linux)]
    public void With_a_temporary_folder_whose_path_is_too_long_for_a_socket_the_reason_is_reported()
    {
        string folder = Directory.CreateTempSubdirectory(new string('x', 100)).FullName;
        using ProfiledProcess process = ProfiledProcess.Start("profiled", new() { ["TMPDIR"] = folder });

        Action start = () => WaitProfiler.Start(process.Id).Dispose();

        start.Should().Throw<MeasurementUnavailableException>().WithMessage(
            "Waits cannot be measured: the path of the diagnostics socket would be longer than 107 bytes, which Linux does not permit; start the process with a shorter TMPDIR.");
        Directory.Delete(folder, recursive: true);
    }
}
