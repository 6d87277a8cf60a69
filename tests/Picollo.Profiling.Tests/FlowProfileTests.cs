using System.Diagnostics;
using System.Runtime.CompilerServices;
using Picollo.Cpu;

namespace Picollo.Profiling.Tests;

/// <summary>Profiles by flow and by route.</summary>
public class FlowProfileTests(Xunit.Abstractions.ITestOutputHelper output)
{
    private const int Flows = 32;

    private static readonly FlowLabel Sixty = new("GET", "/sixty");
    private static readonly FlowLabel Forty = new("GET", "/forty");

    private static ulong _sink;

    [TheoryNeeding(Need.PerfEvents)]
    [InlineData(false)]
    [InlineData(true)] // an ordinary user samples threads instead of CPUs
    public async Task Concurrent_flows_that_wait_never_mix(bool asOrdinaryUser)
    {
        using CpuProfiler profiler = asOrdinaryUser ? AsUser.WithoutPerfMonitoring(Start) : Start();
        Task[] all = [.. Enumerable.Range(0, Flows).Select(i => Task.Run(() => i % 2 == 0 ? Handle(Sixty, BurnSixty, 6) : Handle(Forty, BurnForty, 4)))];
        await Task.WhenAll(all);
        CpuProfile profile = profiler.Stop();

        IReadOnlyList<CpuProfile> parts = profile.SplitByRoute();
        foreach (CpuProfile part in parts)
        {
            output.WriteLine($"{part.Label}: {part.SampleCount}");
        }

        CpuProfile sixty = parts.Should().ContainSingle(part => part.HttpMethod == "GET" && part.Route == "/sixty").Subject;
        CpuProfile forty = parts.Should().ContainSingle(part => part.HttpMethod == "GET" && part.Route == "/forty").Subject;
        SamplesOf(sixty, nameof(BurnForty)).Should().Be(0);
        SamplesOf(forty, nameof(BurnSixty)).Should().Be(0);
        parts.Sum(part => part.Value).Should().Be(profile.Value);
        parts.Where(part => part.Route == CpuProfile.NoRequest).Sum(part => SamplesOf(part, nameof(BurnSixty)) + SamplesOf(part, nameof(BurnForty)))
            .Should().Be(0);
        sixty.Value.Should().BeGreaterThan(forty.Value);

        static CpuProfiler Start() => CpuProfiler.Start(new CpuProfilerOptions { Frequency = 4999 });

        async Task Handle(FlowLabel label, Action burn, int milliseconds)
        {
            using var watcher = new CpuUsageAsyncWatcher { Label = new FlowLabel("GET", "(no endpoint)") };
            for (int i = 0; i < 10; i++)
            {
                await (i % 3 == 0 ? Task.Delay(1) : Task.Run(() => { }));
                long start = watcher.GetTotalNanoseconds();
                while (watcher.GetTotalNanoseconds() - start < milliseconds * 1_000_000)
                {
                    burn();
                }

                watcher.Label = label;
            }
        }
    }

    [FactNeeding(Need.PerfEvents)]
    public async Task A_watcher_counts_the_samples_of_its_flow_until_it_is_stopped()
    {
        using CpuProfiler profiler = CpuProfiler.Start(new CpuProfilerOptions { Frequency = 999 });
        CpuUsageAsyncWatcher? outer = null, inner = null;
        await Task.Run(async () =>
        {
            outer = new CpuUsageAsyncWatcher();
            Burn(BurnSixty, 200);
            await Task.Yield();
            inner = new CpuUsageAsyncWatcher();
            Burn(BurnForty, 200);
            inner.Stop();
            outer.Stop();
            Burn(BurnAfter, 200);
        });
        CpuProfile profile = profiler.Stop();

        CpuProfile ofOuter = profile.FilterBy(outer!), ofInner = profile.FilterBy(inner!);
        SamplesOf(ofOuter, nameof(BurnSixty)).Should().Be(SamplesOf(profile, nameof(BurnSixty))).And.BePositive();
        SamplesOf(ofOuter, nameof(BurnForty)).Should().Be(SamplesOf(profile, nameof(BurnForty))).And.BePositive();
        SamplesOf(ofInner, nameof(BurnForty)).Should().Be(SamplesOf(profile, nameof(BurnForty)));
        SamplesOf(ofInner, nameof(BurnSixty)).Should().Be(0);
        (SamplesOf(ofOuter, nameof(BurnAfter)), SamplesOf(ofInner, nameof(BurnAfter))).Should().Be((0, 0));
        SamplesOf(profile, nameof(BurnAfter)).Should().BePositive();
        profile.SplitByRoute().Should().ContainSingle().Which.Should().Match<CpuProfile>(part => part.HttpMethod == null && part.Route == "(no request)");
        profile.FilterBy(new CpuUsageAsyncWatcher()).SampleCount.Should().Be(0);
        (profile.HttpMethod, profile.Route, ofOuter.Route).Should().Be((null, null, null));
        ofOuter.Title.Should().Be($"a flow in {profile.Title}");
        ofOuter.CpuUsage.Should().BeNull("only the watcher knows the CPU usage");
        ofOuter.ToString().Should().Contain("CPU time of the samples ");
    }

    [FactNeeding(Need.PerfEvents)]
    public void A_flow_that_runs_before_and_after_the_profile_is_known()
    {
        using var isBurning = new ManualResetEventSlim();
        CpuUsageAsyncWatcher? watcher = null;
        bool isEnded = false;
        var thread = new Thread(() =>
        {
            watcher = new CpuUsageAsyncWatcher();
            isBurning.Set();
            while (!Volatile.Read(ref isEnded))
            {
                BurnSixty();
            }
        });
        thread.Start();
        isBurning.Wait();
        using CpuProfiler profiler = CpuProfiler.Start(new CpuProfilerOptions { Frequency = 999 });
        while (profiler.SampleCount < 50)
        {
            Thread.Sleep(20);
        }

        CpuProfile profile = profiler.Stop();
        Volatile.Write(ref isEnded, true);
        thread.Join();

        SamplesOf(profile.FilterBy(watcher!), nameof(BurnSixty)).Should().Be(SamplesOf(profile, nameof(BurnSixty))).And.BePositive();
    }

    [FactNeeding(Need.PerfEvents)]
    public void Nothing_is_recorded_before_and_after_a_profile()
    {
        FlowRecorder.IsActive.Should().BeFalse();
        using (CpuProfiler profiler = CpuProfiler.Start())
        {
            FlowRecorder.IsActive.Should().BeTrue();
        }

        FlowRecorder.IsActive.Should().BeFalse();
    }

    [FactNeeding(Need.PerfEvents)]
    public void The_flows_of_another_process_are_unknown()
    {
        using ProfiledProcess process = ProfiledProcess.Start("profiled-threads");

        CpuProfile profile = process.Profile(new CpuProfilerOptions { Frequency = 999 }, 20);

        process.End();
        profile.Invoking(it => it.SplitByRoute()).Should().Throw<InvalidOperationException>().WithMessage("*belongs to another process*");
        profile.Invoking(it => it.FilterBy(new CpuUsageAsyncWatcher())).Should().Throw<InvalidOperationException>();
    }

    private static long SamplesOf(CpuProfile profile, string method) =>
        profile.GetMethods().Where(each => each.Frame.Name == $"Picollo.Profiling.Tests.FlowProfileTests.{method}").Sum(each => each.Value);

    private static void Burn(Action burn, int milliseconds)
    {
        long start = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(start).TotalMilliseconds < milliseconds)
        {
            burn();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    private static void BurnSixty() => Spin();

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    private static void BurnForty() => Spin();

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    private static void BurnAfter() => Spin();

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Spin()
    {
        for (int i = 0; i < 20_000; i++)
        {
            _sink = (_sink * 6364136223846793005) + 1442695040888963407;
        }
    }
}
