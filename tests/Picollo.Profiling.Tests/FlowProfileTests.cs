using System.Diagnostics;
using System.Runtime.CompilerServices;
using Picollo.Cpu;

namespace Picollo.Profiling.Tests;

/// <summary>Profiles by flow and by route.</summary>
[Trait("Category", "Slow")]
public class FlowProfileTests
{
    private static ulong _sink;

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
