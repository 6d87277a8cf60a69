using System.Diagnostics;
using System.Runtime.CompilerServices;
using Picollo.AspNetCore.Tests.Requests;

namespace Picollo.Diagnostics.Tests.Spans;

[Collection(Alone.Name)]
[Trait("Category", "Slow")]
public class ActivityCpuMeterTests
{
    [Fact]
    public void Without_a_tracer_no_activity_is_created_and_nothing_is_allocated()
    {
        using ActivitySource source = new("Tests.NoTracer");
        using ActivityCpuMeter spans = ActivityCpuMeter.Start(source.Name);

        source.StartActivity("span").Should().BeNull();
        source.CreateActivity("span", ActivityKind.Client).Should().BeNull();
        AdditionalBytes(() => source.StartActivity("span")?.Dispose(), static () => { }, limit: 0).Should().Be(0);
    }

    [Theory]
    [InlineData(ActivitySamplingResult.PropagationData, 0)]
    [InlineData(ActivitySamplingResult.AllDataAndRecorded, 300)]
    public void Measuring_a_span_allocates_at_most_300_bytes_and_nothing_if_it_is_not_sampled(ActivitySamplingResult result, int limit)
    {
        using ActivitySource bare = new($"Tests.Bare{limit}"), source = new($"Tests.Sampled{limit}");
        using ActivityCpuMeter spans = ActivityCpuMeter.Start(source.Name);
        using ActivityListener one = Sample(bare, result), other = Sample(source, result);

        AdditionalBytesOfSpan().Should().BeLessThanOrEqualTo(limit);
        using Activity parent = source.StartActivity("parent")!;
        parent.TagObjects.Any().Should().Be(limit > 0);
        AdditionalBytesOfSpan().Should().BeLessThanOrEqualTo(limit);

        double AdditionalBytesOfSpan() =>
            AdditionalBytes(() => source.StartActivity("span")!.Dispose(), () => bare.StartActivity("span")!.Dispose(), limit);
    }

    [Fact]
    public void The_context_after_a_span_is_restored_with_the_values_that_were_set_in_it()
    {
        using Tracing tracing = new();
        AsyncLocal<string> local = new();
        ExecutionContext before = ExecutionContext.Capture()!;
        tracing.Start("span").Dispose();
        ExecutionContext.Capture().Should().BeSameAs(before);

        using (tracing.Start("parent"))
        {
            using (tracing.Start("child"))
            {
                local.Value = "set in the child";
            }

            local.Value.Should().Be("set in the child");
            Activity.Current!.OperationName.Should().Be("parent");
        }

        local.Value.Should().Be("set in the child");
    }

    [Fact]
    public void A_span_in_a_suppressed_flow_is_measured_on_its_thread()
    {
        using Tracing tracing = new();
        using (ExecutionContext.SuppressFlow())
        {
            using (tracing.Start("span"))
            {
                Burn.Milliseconds(1);
            }

            ExecutionContext.IsFlowSuppressed().Should().BeTrue();
        }

        tracing["span"].Total.Should().BeGreaterThanOrEqualTo(0.99);
    }

    [Fact]
    public void Two_objects_for_one_source_measure_each_span_once()
    {
        using ActivityCpuMeter before = ActivityCpuMeter.Start("Tests.*");
        using Tracing tracing = new();
        using (tracing.Start("parent"))
        using (tracing.Start("span"))
        {
            Burn.Milliseconds(50);
        }

        tracing["span"].Total.Should().BeGreaterThanOrEqualTo(49.9);
        tracing["span"].SelfUser.Should().BeNull();
        tracing["parent"].Self.Should().BeLessThan(tracing["span"].Total / 2);
    }

    [Fact]
    public void Own_time_is_not_negative_if_the_measured_time_of_the_children_exceeds_that_of_the_span()
    {
        using Tracing tracing = new();
        using (tracing.Start("parent"))
        {
            ChildTimes.ForNewSpan().Add((1L << 50, 1L << 50));
        }

        (tracing["parent"].SelfUser, tracing["parent"].SelfSystem).Should().Be((0, null));
    }

    [Fact]
    public void Activities_without_a_source_and_after_disposal_or_without_times_of_threads_are_not_measured()
    {
        using ActivitySource source = new("Tests.Disposed"), unavailable = new("Tests.Unavailable");
        using ActivityListener tracer = Sample(source, ActivitySamplingResult.AllData);
        ActivityCpuMeter.Start(source.Name).Dispose();
        Activity span = source.StartActivity("span")!;
        span.Stop();
        span.TagObjects.Should().BeEmpty();

        using ActivityCpuMeter spans = ActivityCpuMeter.Start("*");
        spans.UnavailableReason.Should().BeNull();
        Activity activity = new Activity("legacy").Start();
        activity.Stop();
        activity.TagObjects.Should().BeEmpty();
        spans.Dispose();

        using ActivityCpuMeter without = new([unavailable.Name], "Not on this system.");
        unavailable.HasListeners().Should().BeFalse();
        (without.UnavailableReason, without.LateSource).Should().Be(("Not on this system.", null));
    }

    [Fact]
    public void Times_are_rounded_to_microseconds_and_source_names_are_required()
    {
        foreach ((long nanoseconds, long microseconds) in new[] { (0L, 0L), (499, 0), (500, 1), (255_499, 255), (255_500, 256), (3_000_000_001, 3_000_000) })
        {
            ActivityCpuMeter.ToSeconds(nanoseconds).Should().Be(microseconds / 1e6);
        }

        foreach (string?[] names in (string?[][])[[], [""], ["My.*", " "], ["My.*", null]])
        {
            FluentActions.Invoking(() => ActivityCpuMeter.Start(names!)).Should().Throw<ArgumentException>().WithParameterName("sources");
        }

        string[] given = ["My.*"];
        ActivityCpuMeter.Check(given).Should().Equal(given).And.NotBeSameAs(given, "the application may change its array");
    }

    [Fact]
    public async Task Spans_that_are_never_stopped_and_sequential_spans_of_a_flow_are_collected()
    {
        using Tracing tracing = new();
        WeakReference[] neverStopped = [.. Enumerable.Range(0, 50).Select(_ => StartOnThread(tracing))];
        List<WeakReference> sequential = [];
        for (int i = 0; i < 50; i++)
        {
            sequential.Add(await RunAsync(tracing, i));
        }

        GC.Collect();
        GC.WaitForPendingFinalizers();
        GC.Collect();

        neverStopped.Count(span => span.IsAlive).Should().BeLessThanOrEqualTo(2);
        sequential.Count(span => span.IsAlive).Should().BeLessThanOrEqualTo(2);
    }

    /// <summary>Returns the number of bytes that a call allocates in addition to another. Waits until they are at most the limit, because
    /// code that is not yet optimized boxes contexts.</summary>
    private static double AdditionalBytes(Action action, Action bare, double limit)
    {
        double more = double.MaxValue;
        for (int i = 0; i < 50 && more > limit; i++)
        {
            Thread.Sleep(i == 0 ? 0 : 100);
            more = (Allocations.InSteadyState(action) - Allocations.InSteadyState(bare)) / 100.0;
        }

        return more;
    }

    private static async Task<WeakReference> RunAsync(Tracing tracing, int i)
    {
        using Activity span = tracing.Start($"{i}");
        await Task.Yield();
        return new WeakReference(span);
    }

    // Runs on a thread that starts no other span afterwards.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference StartOnThread(Tracing tracing)
    {
        WeakReference started = null!;
        Thread thread = new(() => started = new WeakReference(tracing.Start("never stopped")));
        thread.Start();
        thread.Join();
        return started;
    }

    private static ActivityListener Sample(ActivitySource source, ActivitySamplingResult result)
    {
        ActivityListener tracer = new() { ShouldListenTo = other => other == source, Sample = (ref _) => result };
        ActivitySource.AddActivityListener(tracer);
        return tracer;
    }
}
