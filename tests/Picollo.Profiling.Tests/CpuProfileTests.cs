using System.Runtime.CompilerServices;
using Picollo.Cpu;

namespace Picollo.Profiling.Tests;

public class CpuProfileTests
{
    private static ulong _sink;

    [Fact]
    public void A_sample_counts_for_its_function_and_once_for_its_callers()
    {
        CpuProfile profile = Profiles.Of("Main;Work 60", "Main;Rest 30", "Main 10");

        profile.SampleCount.Should().Be(100);
        profile.GetMethods().Should().Equal(
            new CpuProfileMethod(Profiles.Managed("Work"), 60, 60),
            new CpuProfileMethod(Profiles.Managed("Rest"), 30, 30),
            new CpuProfileMethod(Profiles.Managed("Main"), 10, 100));
        Profiles.Of("Main;Fib;Fib;Fib 4", "Main;Fib;Other;Fib 3").GetMethods()
            .Should().Contain(new CpuProfileMethod(Profiles.Managed("Fib"), 7, 7));
    }

    [Fact]
    public void A_time_that_does_not_fit_is_the_largest_time() =>
        new ProfileData(Profiles.RootOf()) { Frequency = 1 }.TimeOf(long.MaxValue).Should().Be(TimeSpan.FromDays(10_000_000));

    [TheoryNeeding(Need.PerfEvents)]
    [InlineData(false)]
    [InlineData(true)]
    public void The_current_process_is_profiled_with_names(bool showsTiers)
    {
        FlowRecorder.IsActive.Should().BeFalse();
        CpuProfilerOptions options = new() { Frequency = 999, ShowTiers = showsTiers };
        using CpuProfiler profiler = CpuProfiler.Start(options);
        (options.Frequency, options.ShowTiers) = (1, !showsTiers); // without effect
        FlowRecorder.IsActive.Should().BeTrue();
        Burn(milliseconds: 100);
        CpuProfile profile = profiler.Stop();

        FlowRecorder.IsActive.Should().BeFalse();
        CpuProfileMethod burn = profile.GetMethods().Where(method => method.Frame.Name.StartsWith(typeof(CpuProfileTests).FullName + ".Burn", StringComparison.Ordinal))
            .MaxBy(method => method.Value)!;
        burn.Value.Should().BeGreaterThan(20);
        (burn.Frame.Module, burn.Frame.Kind).Should().Be(("Picollo.Profiling.Tests.dll", CpuProfileFrameKind.Managed));
        burn.Frame.Name.Should().Match(showsTiers ? "*.Burn [*]" : "*.Burn");
        (profile.Frequency, profile.IncludesKernel, profile.CpuUsage!.Value.Total > TimeSpan.Zero).Should().Be((999, false, true));
        profile.SampleCount.Should().BeGreaterThanOrEqualTo(burn.Value);
        profile.Notes.Should().BeEmpty();
        profiler.Stop().Should().BeSameAs(profile);
    }

    [FactNeeding(Need.PerfEvents)]
    public void A_disposed_profiler_has_no_profile()
    {
        CpuProfiler profiler = CpuProfiler.Start();
        profiler.Dispose();
        profiler.Dispose();

        profiler.Invoking(it => it.Stop()).Should().Throw<ObjectDisposedException>();
    }

    [Fact]
    public void Options_out_of_range_are_rejected()
    {
        foreach (int frequency in (int[])[0, -1, CpuProfilerOptions.MaxFrequency + 1])
        {
            FluentActions.Invoking(() => new CpuProfilerOptions { Frequency = frequency })
                .Should().Throw<ArgumentOutOfRangeException>().WithParameterName("Frequency");
        }

        FluentActions.Invoking(() => new CpuProfilerOptions { ProcessId = 0 })
            .Should().Throw<ArgumentOutOfRangeException>().WithParameterName("ProcessId");
    }

    /// <summary>Uses CPU time of this thread.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal static void Burn(int milliseconds)
    {
        long end = CpuUsageReader.GetThreadTimeNanoseconds() + (milliseconds * 1_000_000L);
        while (CpuUsageReader.GetThreadTimeNanoseconds() < end)
        {
            for (int i = 0; i < 10_000; i++)
            {
                _sink = (_sink * 6364136223846793005) + (ulong)i;
            }
        }
    }
}
