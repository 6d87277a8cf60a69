using System.Diagnostics.Tracing;
using Picollo.AspNetCore.Profiles;
using Picollo.AspNetCore.Tests.Page;
using Picollo.Profiling.Waits;
using static Picollo.AspNetCore.Tests.Profiles.ProfileWork;

namespace Picollo.AspNetCore.Tests.Profiles;

/// <summary>Tests what requests to routes with known waits wait for, measured by requests from the page of a running server.</summary>
[Collection(Alone.Name)]
[Trait("Category", "Slow")]
public class WaitsTests
{
    private const int Times = 3;
    private static readonly TimeSpan Wait = TimeSpan.FromMilliseconds(40);

    [FactNeeding(Need.Linux)]
    public async Task Each_route_has_the_waits_of_its_method_and_no_others()
    {
        (string Route, string Kind, string Method)[] expected =
        [
            ("/monitor", "Monitor.Enter", nameof(Waiting.ForMonitor)),
            ("/lock", "Lock.Enter", nameof(Waiting.ForLock)),
            ("/semaphore", "SemaphoreSlim.Wait", nameof(Waiting.ForSemaphore)),
            ("/task", "Task.Wait", nameof(Waiting.ForTask)),
            ("/result", "Task.Wait", nameof(Waiting.ForResultAsync)),
            ("/reader", "ReaderWriterLockSlim.EnterReadLock", nameof(Waiting.ForReaderLock)),
            ("/event", "ManualResetEventSlim.Wait", nameof(Waiting.ForEvent)),
        ];
        var end = new ProfileEnd();
        await using PageServer server = await StartAsync(end);

        WaitProfile waits = await MeasureAsync(server, end, () => Task.WhenAll(expected.Select(route => RequestAsync(server, route.Route, Times))));

        foreach ((string route, string kind, string method) in expected)
        {
            WaitRow row = waits.Rows.Should().ContainSingle(row => row.Method.Contains($"{nameof(Waiting)}.{method}", StringComparison.Ordinal), method)
                .Subject;
            (row.Label, row.Kind, row.Count).Should().Be((new FlowLabel("GET", route), kind, Times));
            row.Total.Should().BeGreaterThan(row.Longest).And.BeGreaterThan(Times * Wait / 2);
            row.Longest.Should().BeGreaterThan(Wait / 2);
        }

        waits.Notes.Should().BeEmpty();
        waits.Rows.Should().OnlyContain(row => row.Label != FlowLabel.None || row.Method.Length == 0);
        waits.Rows.Should().BeInDescendingOrder(row => row.Total);

        string page = await server.Client.GetStringAsync("/picollo?waits=latest");
        page.Should().Contain("ReaderWriterLockSlim.EnterReadLock").And.Contain($"{nameof(Waiting)}.{nameof(Waiting.ForReaderLock)}").And.Contain("/reader");
        JsonElement json = (await server.JsonAsync()).GetProperty("waits");
        JsonElement task = json.GetProperty("rows").EnumerateArray().Single(row => row.GetProperty("name").GetString() == "/task"
            && row.GetProperty("kind").GetString() == "Task.Wait");
        (task.GetProperty("method").GetString(), task.GetProperty("count").GetInt64()).Should().Be(("GET", Times));
        task.GetProperty("waitingMethod").GetString().Should().Contain(nameof(Waiting.ForTask));
        task.GetProperty("secondsTotal").GetDouble().Should().BeGreaterThan(task.GetProperty("longestSeconds").GetDouble());
    }

    [FactNeeding(Need.Linux)]
    public async Task Continuations_and_starts_of_requests_have_their_time_in_the_queue_of_the_thread_pool()
    {
        var end = new ProfileEnd();
        await using PageServer server = await StartAsync(end);
        server.Client.DefaultRequestHeaders.ConnectionClose = true; // the start of a connection is always queued

        WaitProfile waits = await MeasureAsync(server, end, () => RequestAsync(server, "/starved", 2 * Times));

        WaitRow[] rows = [.. waits.Rows.Where(row => row.Label.Name == "/starved")];
        string all = string.Join("; ", rows.Select(row => $"{row.Kind} {row.Method} {row.Count}"));
        rows.Should().HaveCount(2, "{0}", all);

        WaitRow continued = rows.Single(row => row.Kind == WaitProfile.PoolQueue), started = rows.Single(row => row.Kind == WaitProfile.PoolQueueBefore);
        continued.Count.Should().Be(2 * Times, "{0}", all);
        continued.Longest.Should().BeGreaterThan(TimeSpan.FromMilliseconds(5));
        started.Count.Should().Be(2 * Times, "{0}", all);
        (continued.Method, started.Method).Should().Be(("", ""));
    }

    [FactNeeding(Need.Linux)]
    public async Task Nothing_remains_after_the_end_or_after_the_client_has_left()
    {
        var end = new ProfileEnd();
        await using PageServer server = await StartAsync(end);
        using var leaving = new CancellationTokenSource();
        Task<HttpResponseMessage> posting = PostAsync(server, "?waits", leaving.Token);
        await Eventually.IsTrueAsync(() => end.IsAwaited);
        IsMeasuring().Should().BeTrue();
        using (HttpResponseMessage refused = await PostAsync(server))
        {
            refused.StatusCode.Should().Be(HttpStatusCode.Conflict);
            (await refused.Content.ReadAsStringAsync()).Should().StartWith("Another profile is being taken.");
        }

        leaving.Cancel();

        await posting.Invoking(it => it).Should().ThrowAsync<OperationCanceledException>();
        await Eventually.IsTrueAsync(() => !IsMeasuring());
        ProfilesOf(server).AllWaits.Should().BeEmpty();
        end.Fire(); // forgets the canceled measurement, so that the next one is awaited

        await MeasureAsync(server, end, () => RequestAsync(server, "/monitor", 1));
        await Eventually.IsTrueAsync(() => !IsMeasuring());
        Directory.GetFiles("/proc/self/fd").Select(file => new FileInfo(file).LinkTarget).Should().NotContain(link => link != null && link.Contains("/perf-"));
        (await server.Client.GetStringAsync("/picollo")).Should().Contain($"href=\"?waits={ProfilesOf(server).AllWaits.Single().Id}\"");
        using HttpResponseMessage none = await server.Client.GetAsync("/picollo?waits=0123456789abcdef");
        none.StatusCode.Should().Be(HttpStatusCode.NotFound);

        // The session of the runtime, the thread that reads it, and the record of the flows.
        static bool IsMeasuring() => FlowRecorder.IsActive
            | EventSource.GetSources().Single(source => source.Name == "System.Diagnostics.Eventing.FrameworkEventSource").IsEnabled()
            | Directory.GetDirectories("/proc/self/task").Any(thread => NameOf(thread) is "Picollo waits\n");
    }

    [Fact]
    public async Task The_page_encodes_the_names_of_the_application_and_only_the_last_waits_are_kept()
    {
        await using PageServer server = await StartAsync(TimeProvider.System);
        CpuProfiles profiles = ProfilesOf(server);
        for (int i = 0; i <= CpuProfiles.MaxProfiles; i++)
        {
            profiles.Store(new WaitProfile(
                DateTimeOffset.UnixEpoch,
                CpuProfiles.Duration,
                [new WaitRow(new FlowLabel("<i>M", "<i>N"), "<i>K", $"<i>{i}", 1, TimeSpan.Zero, TimeSpan.Zero)],
                ["<i>P"]));
        }

        profiles.AllWaits.Select(stored => stored.Waits.Rows[0].Method).Should().Equal("<i>8", "<i>7", "<i>6", "<i>5", "<i>4", "<i>3", "<i>2", "<i>1");
        string page = await server.Client.GetStringAsync("/picollo?waits=latest");
        page.Should().NotContain("<i>");
        page.Should().ContainAll("&lt;i&gt;M", "&lt;i&gt;N", "&lt;i&gt;K", "&lt;i&gt;8", "&lt;i&gt;P");
    }

    private static string NameOf(string thread)
    {
        try
        {
            return File.ReadAllText(Path.Combine(thread, "comm"));
        }
        catch (IOException)
        {
            return ""; // it has ended
        }
    }

    private static async Task<WaitProfile> MeasureAsync(PageServer server, ProfileEnd end, Func<Task> work)
    {
        Task<HttpResponseMessage> posting = PostAsync(server, "?waits");
        await Eventually.IsTrueAsync(() => end.IsAwaited);
        await work();
        end.Fire();
        using HttpResponseMessage posted = await posting;
        StoredWaits stored = ProfilesOf(server).AllWaits[0];
        (posted.StatusCode, posted.Headers.Location).Should().Be((HttpStatusCode.SeeOther, new Uri($"?waits={stored.Id}", UriKind.Relative)));
        return stored.Waits;
    }

    private static Task<PageServer> StartAsync(TimeProvider time) => PageServer.StartAsync(
        application =>
        {
            application.MapPicollo();
            application.UsePicollo();
            application.MapGet("/monitor", Waiting.ForMonitor);
            application.MapGet("/lock", Waiting.ForLock);
            application.MapGet("/semaphore", Waiting.ForSemaphore);
            application.MapGet("/task", Waiting.ForTask);
            application.MapGet("/result", Waiting.ForResultAsync);
            application.MapGet("/reader", Waiting.ForReaderLock);
            application.MapGet("/event", Waiting.ForEvent);
            application.MapGet("/starved", async () =>
            {
                for (int i = 0; i < 4 * ThreadPool.ThreadCount; i++)
                {
                    ThreadPool.UnsafeQueueUserWorkItem(static _ => Thread.Sleep(20), null);
                }

                await Task.Yield();
                return "done";
            });
        },
        options => options.EnableProfiling = true,
        builder => builder.Services.AddSingleton(time));

    /// <summary>Methods that wait once.</summary>
    private static class Waiting
    {
        private static readonly object Gate = new();
        private static readonly Lock Lock = new();
        private static readonly SemaphoreSlim Semaphore = new(1);
        private static readonly ReaderWriterLockSlim ReaderWriter = new();

        public static string ForMonitor() => While(() => Monitor.Enter(Gate), () => Monitor.Exit(Gate), () =>
        {
            lock (Gate)
            {
            }
        });

        public static string ForLock() => While(Lock.Enter, Lock.Exit, () =>
        {
            lock (Lock)
            {
            }
        });

        public static string ForSemaphore() => While(() => Semaphore.Wait(), () => Semaphore.Release(), () =>
        {
            Semaphore.Wait();
            Semaphore.Release();
        });

        public static string ForReaderLock() => While(ReaderWriter.EnterWriteLock, ReaderWriter.ExitWriteLock, () =>
        {
            ReaderWriter.EnterReadLock();
            ReaderWriter.ExitReadLock();
        });

        public static string ForEvent()
        {
            ManualResetEventSlim set = new();
            return While(() => { }, set.Set, () => set.Wait());
        }

        public static string ForTask()
        {
            TaskCompletionSource done = new();
            return While(() => { }, done.SetResult, () => done.Task.Wait());
        }

        public static async Task<string> ForResultAsync()
        {
            await Task.Yield();
            return ResultLater().Result;
        }

        private static Task<string> ResultLater()
        {
            TaskCompletionSource<string> done = new();
            HeldLock.ReleaseLater(Wait, () => done.SetResult("done"));
            return done.Task;
        }

        private static string While(Action acquire, Action release, Action wait)
        {
            HeldLock.WaitFor(Wait, acquire, release, wait);
            return "done";
        }
    }
}
