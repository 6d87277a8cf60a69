using System.Diagnostics;
using System.Globalization;
using Picollo.Cpu;
using Picollo.Metrics;

namespace Picollo.Diagnostics.Tests.Runtime;

/// <summary>Tests the runtime of this process, and of other processes that differ in one setting each.</summary>
[Collection(Alone.Name)]
public class RuntimeMeterTests
{
    private static readonly TimeSpan Deadline = TimeSpan.FromSeconds(60);

    [Fact]
    [Trait("Category", "Slow")]
    public void A_wait_for_a_lock_lasts_from_the_contention_until_the_lock_is_free()
    {
        using RuntimeMeter meter = RuntimeMeter.Start();
        object gate = new();
        Thread waiter = new(() =>
        {
            lock (gate)
            {
            }
        });
        long held = Stopwatch.GetTimestamp();
        long waits;
        lock (gate)
        {
            waiter.Start();
            SpinWait.SpinUntil(() => waiter.ThreadState.HasFlag(System.Threading.ThreadState.WaitSleepJoin), Deadline).Should().BeTrue();
            waits = Stopwatch.GetTimestamp();
            Thread.Sleep(300);
        }

        ulong least = (ulong)Stopwatch.GetElapsedTime(waits).TotalNanoseconds;
        waiter.Join();
        ulong most = (ulong)Stopwatch.GetElapsedTime(held).TotalNanoseconds;
        WaitUntil(() => meter.LockWaits.GetCountBetween(least - (least / 100), ulong.MaxValue) > 0);

        // Other threads of the test runner may also have waited.
        meter.LockWaits.GetCountBetween(least - (least / 100), most + (most / 100)).Should().BeGreaterThanOrEqualTo(1);
    }

    [Fact]
    public void Meters_share_one_thread_and_each_has_its_own_values()
    {
        using RuntimeMeter first = RuntimeMeter.Start();
        WaitUntil(() => first.ThreadPoolDelays.TotalCount > 0);
        using RuntimeMeter second = RuntimeMeter.Start();
        WaitUntil(() => second.ThreadPoolDelays.TotalCount > 0);
        CountThreads().Should().Be(1);

        first.Dispose();
        (ulong, ulong) ended = (first.ThreadPoolDelays.TotalCount, first.GcPauses.TotalCount);
        (ulong delays, ulong pauses) = (second.ThreadPoolDelays.TotalCount, second.GcPauses.TotalCount);
        GC.Collect();
        WaitUntil(() => second.ThreadPoolDelays.TotalCount > delays && second.GcPauses.TotalCount > pauses);
        (first.ThreadPoolDelays.TotalCount, first.GcPauses.TotalCount).Should().Be(ended);

        second.Dispose();
        WaitUntil(() => !OperatingSystem.IsLinux() || CountThreads() == 0);

        static int CountThreads() => !OperatingSystem.IsLinux() ? 1
            : new ProcessThreads().Read().Count(thread => thread.Name == "Picollo runtime");
    }

    [Fact]
    [Trait("Category", "Slow")]
    public void Totals_equal_those_of_the_runtime()
    {
        using RuntimeMeter meter = RuntimeMeter.Start();
        RuntimeTotals before = meter.GetTotals();
        for (int i = 0; i < 10; i++)
        {
            FluentActions.Invoking(() => throw new InvalidOperationException()).Should().Throw<InvalidOperationException>();
        }

        GC.KeepAlive(new byte[10_000_000]);
        GC.Collect();
        for (int generation = 1; generation >= 0; generation--)
        {
            // A collection may turn into one of an older generation. The counts have to differ, to notice if two are exchanged.
            for (int i = 0; i < 100 && GC.CollectionCount(generation) == GC.CollectionCount(generation + 1); i++)
            {
                GC.Collect(generation);
            }
        }

        (int gen0, int gen1, int gen2) = (GC.CollectionCount(0), GC.CollectionCount(1), GC.CollectionCount(2));
        RuntimeTotals after = meter.GetTotals();

        (after.AllocatedBytes - before.AllocatedBytes).Should().BeInRange(9_000_000, 100_000_000, "allocation contexts of threads make the value inexact");
        after.Gen0CollectionCount.Should().BeInRange(gen0, GC.CollectionCount(0));
        after.Gen1CollectionCount.Should().BeInRange(gen1, GC.CollectionCount(1));
        after.Gen2CollectionCount.Should().BeInRange(gen2, GC.CollectionCount(2));
        after.CompiledMethodCount.Should().BePositive();
        after.CompilationTime.Should().BePositive();
        after.GcPauseTime.Should().BeGreaterThan(before.GcPauseTime);
        after.ExceptionCount.Should().BeGreaterThanOrEqualTo(before.ExceptionCount + 10);
        meter.Dispose();
        long exceptions = meter.GetTotals().ExceptionCount;
        FluentActions.Invoking(() => throw new InvalidOperationException()).Should().Throw<InvalidOperationException>();
        meter.GetTotals().ExceptionCount.Should().Be(exceptions, "a disposed meter no longer counts");
    }

    [Fact]
    public void A_meter_does_not_keep_values_of_the_flow_that_starts_it_alive()
    {
        AsyncLocal<object?> local = new();
        WeakReference? value = null;
        RuntimeMeter? meter = null;
        Thread starter = new(() =>
        {
            object flowing = new();
            value = new WeakReference(flowing);
            local.Value = flowing;
            meter = RuntimeMeter.Start();
            local.Value = null; // otherwise, an ended thread would keep its context
            ExecutionContext.IsFlowSuppressed().Should().BeFalse();
        });
        starter.Start();
        starter.Join();

        using (meter)
        {
            WaitUntil(() =>
            {
                GC.Collect();
                return !value!.IsAlive;
            });
        }
    }

    [Fact]
    public void The_histograms_are_registered_while_the_meter_runs()
    {
        HdrHistogramRegistry registry = new();
        RuntimeMeter meter = RuntimeMeter.Start(registry);
        Names().Should().BeEquivalentTo(
            "dotnet.gc.suspension.duration", "dotnet.lock.wait.duration", "dotnet.thread_pool.work_item.delay");

        FluentActions.Invoking(() => RuntimeMeter.Start(registry)).Should().Throw<ArgumentException>();
        Names().Should().HaveCount(3, "the second meter changes nothing");

        meter.Dispose();
        Names().Should().BeEmpty();
        RuntimeMeter.Start(registry).Dispose();

        registry.Add("dotnet.lock.wait.duration", HdrHistogram.Create());
        FluentActions.Invoking(() => RuntimeMeter.Start(registry)).Should().Throw<ArgumentException>();
        registry.Registrations.Should().ContainSingle("a meter that cannot register all its names registers none");

        IEnumerable<string> Names() => registry.Registrations.Select(one => one.Name).Where(name => name != "dotnet.gc.pause.duration");
    }

    [Fact]
    [Trait("Category", "Slow")]
    public async Task Meters_can_start_and_stop_at_the_same_time_on_several_threads()
    {
        await Task.WhenAll(Enumerable.Range(0, 4).Select(_ => Task.Factory.StartNew(() =>
        {
            for (int i = 0; i < 25; i++)
            {
                RuntimeMeter.Start().Dispose();
            }
        }, TaskCreationOptions.LongRunning))).WaitAsync(Deadline);
    }

    [Theory]
    [InlineData("0", "0")]
    [InlineData("0", "1")]
    [InlineData("1", "0")]
    [InlineData("1", "1")]
    [Trait("Category", "Slow")]
    public void Every_collector_reports_its_pauses(string isServer, string isConcurrent)
    {
        Dictionary<string, string> found = Run(
            Tool.HelperApp("runtime"), new() { ["DOTNET_gcServer"] = isServer, ["DOTNET_gcConcurrent"] = isConcurrent });

        found["unavailable"].Should().BeEmpty();
        int.Parse(found["gen2 induced"], CultureInfo.InvariantCulture).Should().BeGreaterThanOrEqualTo(10, "there are ten blocking collections, and background work");
        found["sum"].Should().Be(found["pauses"]);
    }

    [Fact]
    [Trait("Category", "Slow")]
    public void A_starved_pool_is_visible_immediately() =>
        int.Parse(Run(Tool.HelperApp("runtime-starved"), [])["ages"], CultureInfo.InvariantCulture).Should().BeGreaterThanOrEqualTo(2, "no item has run");

    [Fact]
    [Trait("Category", "Slow")]
    public void Without_event_sources_the_reason_has_a_remedy()
    {
        const string Properties = "\"configProperties\": {";
        string own = File.ReadAllText(Path.Combine(AppContext.BaseDirectory, "HelperApp.runtimeconfig.json"));
        string config = Path.GetTempFileName() + ".runtimeconfig.json";
        own.Should().Contain(Properties);
        File.WriteAllText(config, own.Replace(Properties, Properties + " \"System.Diagnostics.Tracing.EventSource.IsSupported\": false,"));
        string[] line = Tool.HelperApp("runtime-without-events");

        Dictionary<string, string> found = Run([line[0], "exec", "--runtimeconfig", config, .. line[1..]], []);

        File.Delete(config);
        found["unavailable"].Should().Contain("EventSourceSupport");
        found["delays"].Should().Be("True", "the pool is measured without events");
        found["allocated"].Should().Be("0", "ticks and items of the pool allocate nothing");
    }

    private static void WaitUntil(Func<bool> condition) => SpinWait.SpinUntil(
        () =>
        {
            Thread.Sleep(5);
            return condition();
        },
        Deadline).Should().BeTrue();

    private static Dictionary<string, string> Run(string[] line, Dictionary<string, string?> environment) =>
        Tool.Run(line[0], AppContext.BaseDirectory, environment, line[1..])
            .Split('\n', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries)
            .Select(text => text.Split('=', 2))
            .ToDictionary(pair => pair[0], pair => pair[1]);
}
