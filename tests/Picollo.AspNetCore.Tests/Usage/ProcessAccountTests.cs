using System.Runtime.CompilerServices;
using Microsoft.Extensions.Options;
using Picollo.AspNetCore.Tests.Requests;
using Picollo.AspNetCore.Workers;

namespace Picollo.AspNetCore.Tests.Usage;

/// <summary>Tests, in a real application, that all CPU time of the process is in one of the parts.</summary>
public class ProcessAccountTests
{
    private const double Burnt = 50; // milliseconds

    // The least CPU time in seconds of a part in which Burnt was used. The parts are read one after the other.
    private const double Least = 0.99 * Burnt / 1e3;

    // The CPU time of a thread to wait and wake up, in nanoseconds.
    private const long Waking = 5_000_000;

    [Fact]
    [Trait("Category", "Slow")]
    public async Task The_parts_add_up_to_the_CPU_time_of_the_process_at_each_reading()
    {
        await using RequestApp app = await RequestApp.StartAsync(web => web.MapGet("/", async () =>
        {
            Burn.Milliseconds(Burnt / 5);
            await Task.Run(() => Burn.Milliseconds(Burnt / 5));
        }));
        ProcessAccount account = app.Services.GetRequiredService<ProcessAccount>();
        IReadOnlyList<CpuPart> last = account.Read(out CpuUsage? lastModes);
        for (int i = 0; i < 5; i++)
        {
            Task requests = Task.WhenAll(Enumerable.Range(0, 4).Select(_ => app.Client.GetStringAsync("/")));
            while (!requests.IsCompleted)
            {
                Thread thread = new(() => Burn.Milliseconds(Burnt / 50));
                thread.UnsafeStart();
                ReadAll();
                thread.Join();
                ReadAll();
            }

            await requests;
        }

        void ReadAll()
        {
            long before = CpuUsageReader.GetProcessTimeNanoseconds();
            IReadOnlyList<CpuPart> parts = account.Read(out CpuUsage? modes);
            long after = CpuUsageReader.GetProcessTimeNanoseconds();

            parts.Select(part => part.Name).Should().Equal(
                "requests", "after_response", "work", "page", "cpu_workers", "garbage_collector", "jit_compiler", "thread_pool",
                "ended_threads", "rest");
            parts.Sum(part => part.Nanoseconds).Should().BeInRange(before, after);
            parts.Zip(last).Should().OnlyContain(pair => pair.First.Nanoseconds >= pair.Second.Nanoseconds, "no part ever decreases");
            last = parts;
            modes!.Value.TotalNanoseconds.Should().Be(parts.Sum(part => part.Nanoseconds));
            modes.Value.UserNanoseconds.Should().BeGreaterThanOrEqualTo(lastModes!.Value.UserNanoseconds);
            modes.Value.KernelNanoseconds.Should().BeGreaterThanOrEqualTo(lastModes.Value.KernelNanoseconds);
            lastModes = modes;
        }
    }

    [Fact]
    public void Times_are_raised_to_measured_ones_and_never_decrease()
    {
        int seed = Environment.TickCount;
        Random random = new(seed);
        long[] times = new long[10];
        long total = 0;
        for (int i = 0; i < 200; i++)
        {
            total += random.NextInt64(1L << random.Next(1, 56));
            long[] measured = [.. times.Select(time => time + random.NextInt64(-1L << 50, 1L << 50))];
            measured[^1] += total - measured.Sum();
            long[] before = [.. times];

            ProcessAccount.Raise(times, measured, total);

            times.Sum().Should().Be(total, "seed {0}", seed);
            times.Zip(before).Should().OnlyContain(pair => pair.First >= pair.Second, "seed {0}", seed);
            times.Zip(before, measured).Should().OnlyContain(
                one => one.First == one.Second || one.First <= one.Third, "only parts that are too low are raised; seed {0}", seed);

            measured = [.. times.Select(time => time + random.NextInt64(1L << 40))];
            total = measured.Sum();
            ProcessAccount.Raise(times, measured, total);
            times.Should().Equal(measured, "no part is too high; seed {0}", seed);
        }

        times = [0, 0, 5];
        ProcessAccount.Raise(times, [4, 4, 2], 10);
        times.Should().Equal([1, 4, 5], "the first parts are raised later");
    }

    [Theory]
    [InlineData("CPU", "CPU 1", true)]
    [InlineData("CPU", "CPUs", false)]
    [InlineData("Importers of m", "Importers of m ", true)]
    [InlineData("Importers of my shop", "Importers of my", true)]
    [InlineData("Importers of my shop", "Importers of m", false)]
    public void Workers_are_recognized_by_the_first_15_characters_of_their_names(string name, string thread, bool isWorker)
    {
        ProcessAccount account = new(null!, null!, null!, Options.Create(new PicolloOptions { CpuWorkers = { Name = name } }));

        IsWorker(account, thread).Should().Be(isWorker);

        [UnsafeAccessor(UnsafeAccessorKind.Method, Name = "IsWorker")]
        static extern bool IsWorker(ProcessAccount account, string name);
    }

    [Fact]
    public void A_thread_belongs_to_the_group_of_its_name_which_never_decreases_and_a_reused_ID_is_another_thread()
    {
        ProcessAccount account = new(null!, null!, null!, Options.Create(new PicolloOptions()));
        string[] names =
        [
            $"{new PicolloOptions().CpuWorkers.Name} 1", ".NET Server GC", ".NET BGC", ".NET Tiered Com", ".NET TP Worker", ".NET TP Gate",
            ".NET Timer", ".NET Sockets", "Kestrel Timer", "other",
        ];
        ProcessThread[] threads = [.. names.Select((name, i) => new ProcessThread(i, 1, name, 1 << i, 0))];
        ShouldBe(threads, 0b1, 0b110, 0b1000, 0b1_1111_0000, 0b10_0000_0000);
        ShouldBe([.. threads.Select(thread => thread with { WatchedNanoseconds = 1 })], 0b1, 0b110, 0b1000, 0b1_1111_0000, 0b10_0000_0000);
        ShouldBe([threads[0] with { StartNanoseconds = 2, TotalNanoseconds = 5 }], 6, 0b110, 0b1000, 0b1_1111_0000, 0b10_0000_0000);

        Add(account, []).Should().BeFalse();

        void ShouldBe(ProcessThread[] read, params long[] groups)
        {
            Add(account, read).Should().BeTrue();
            GroupsOf(account).Should().Equal(groups);
        }

        [UnsafeAccessor(UnsafeAccessorKind.Method, Name = "Add")]
        static extern bool Add(ProcessAccount account, IReadOnlyList<ProcessThread> threads);

        [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_groups")]
        static extern ref long[] GroupsOf(ProcessAccount account);
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public async Task Threads_outside_flows_are_attributed_by_their_names_and_those_that_ended_are_a_separate_part()
    {
        await using RequestApp app = await RequestApp.StartAsync(_ => { });
        ProcessAccount account = app.Services.GetRequiredService<ProcessAccount>();
        using ManualResetEventSlim burnt = new(), go = new();
        long first = 0, all = 0;
        string task = "";
        Thread collector = new(() =>
        {
            Burn.Milliseconds(Burnt);
            go.Wait();
        })
        { Name = ".NET BGC" };
        Thread thread = new(() =>
        {
            task = OwnTask();
            Burn.Milliseconds(Burnt);
            first = CpuUsageReader.GetThreadTimeNanoseconds();
            burnt.Set();
            go.Wait();
            Burn.Milliseconds(Burnt);
            all = CpuUsageReader.GetThreadTimeNanoseconds();
        })
        { Name = ".NET Tiered Com" };
        Dictionary<string, long> before = Read();
        thread.UnsafeStart();
        collector.UnsafeStart();
        ThreadPool.UnsafeQueueUserWorkItem(_ => Burn.Milliseconds(Burnt), null);
        burnt.Wait();
        Dictionary<string, long> seen = await SettleAsync(parts => parts["jit_compiler"] - before["jit_compiler"] >= 0.99 * first
            && parts["garbage_collector"] - before["garbage_collector"] >= Least * 1e9
            && parts["thread_pool"] - before["thread_pool"] >= Least * 1e9);
        go.Set();
        thread.Join();
        collector.Join();
        WaitForEnd(task);
        Dictionary<string, long> ended = await SettleAsync(parts => parts["ended_threads"] - seen["ended_threads"] >= all - first - Waking);

        ended["jit_compiler"].Should().BeGreaterThanOrEqualTo(seen["jit_compiler"], "no part ever decreases");

        // The time of the process is read before the times of the threads, so a part waits for its time while other threads run.
        async Task<Dictionary<string, long>> SettleAsync(Predicate<Dictionary<string, long>> isSettled)
        {
            Dictionary<string, long> parts = [];
            await Eventually.IsTrueAsync(() => isSettled(parts = Read()));
            return parts;
        }

        Dictionary<string, long> Read() => account.Read().ToDictionary(part => part.Name, part => part.Nanoseconds);
    }

    [Fact]
    public async Task The_rest_does_not_decrease_when_flows_are_read_later_than_the_process()
    {
        await using RequestApp app = await RequestApp.StartAsync(_ => { });
        ProcessAccount account = app.Services.GetRequiredService<ProcessAccount>();
        long before = account.Read()[^1].Nanoseconds;
        app.Routes.Get("GET", "/later").Record(new RunValues(1_000_000_000_000, 1, null));

        account.Read()[^1].Nanoseconds.Should().Be(before).And.BePositive();
    }

    [Fact]
    public async Task The_time_after_responses_is_a_part_or_that_of_the_page()
    {
        await using RequestApp app = await RequestApp.StartAsync(_ => { });
        (AfterEndOf(app.Routes.Page), AfterEndOf(app.Routes.Get("GET", "/x"))) = (10_000_000, 20_000_000);
        IReadOnlyList<CpuPart> parts = app.Services.GetRequiredService<ProcessAccount>().Read();

        parts.Where(part => part.Name is "page" or "after_response").Select(part => part.Nanoseconds).Should().Equal(20_000_000, 10_000_000);

        [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_afterEnd")]
        static extern ref long AfterEndOf(Row row);
    }

    [Fact]
    [Trait("Category", "Slow")]
    public async Task The_parts_do_not_overlap()
    {
        Task background = Task.CompletedTask;
        await using RequestApp app = await RequestApp.StartAsync(web =>
        {
            web.MapPicollo().AllowAnonymous();
            web.MapGet("/work", (WorkMeter meter) =>
            {
                using (meter.Measure("work"))
                {
                    Burn.Milliseconds(Burnt);
                }

                background = Task.Run(async () =>
                {
                    await Task.Delay(100);
                    Burn.Milliseconds(Burnt);
                });
            });
            web.MapGet("/worker", () => { Burn.Milliseconds(4 * Burnt); }).RequireCpuWorker();
        });
        Dictionary<string, double> before = await ReadAsync(app);
        await app.Client.GetStringAsync("/work");
        await app.Client.GetStringAsync("/worker");
        await app.GetCountsAsync(2);
        await background;
        Dictionary<string, double> requests = await ReadAsync(app);
        using (ExecutionContext.SuppressFlow())
        {
            background = app.Services.GetRequiredService<CpuWorkers>().Pool.RunAsync(_ => { Burn.Milliseconds(3 * Burnt); });
        }

        await background;
        Dictionary<string, double> workers = await ReadAsync(app);

        (requests["work"] - before["work"]).Should().BeInRange(Least, 2 * Burnt / 1e3);
        (requests["after_response"] - before["after_response"]).Should().BeInRange(Least, 2 * Burnt / 1e3);
        (requests["requests"] - before["requests"]).Should().BeGreaterThanOrEqualTo(4 * Least);
        if (OperatingSystem.IsLinux())
        {
            (requests["cpu_workers"] - before["cpu_workers"]).Should().BeLessThan(2 * Burnt / 1e3, "the request includes its time on the worker");
            (workers["cpu_workers"] - requests["cpu_workers"]).Should().BeGreaterThanOrEqualTo(3 * Least);
        }
    }

    private static string OwnTask() => $"/proc/{new FileInfo("/proc/thread-self").LinkTarget}";

    // The system lists a thread for some time after Join has returned.
    private static void WaitForEnd(string task) =>
        SpinWait.SpinUntil(() => !Directory.Exists(task), TimeSpan.FromMinutes(1)).Should().BeTrue();

    private static async Task<Dictionary<string, double>> ReadAsync(RequestApp app) => JsonDocument
        .Parse(await app.Client.GetStringAsync("/picollo/json")).RootElement.GetProperty("processCpu").EnumerateArray()
        .ToDictionary(part => part.GetProperty("name").GetString()!, part => part.GetProperty("secondsTotal").GetDouble());
}
