using System.Diagnostics;
using Picollo.AspNetCore.Tests.Requests;
using Picollo.Cpu;
using Xunit.Sdk;

namespace Picollo.Diagnostics.Tests.Spans;

[Collection(Alone.Name)]
[Trait("Category", "Slow")]
public class SpanTimesTests
{
    [Fact]
    public Task Parallel_spans_have_their_own_time_across_awaits() => RetryAsync(async tracing =>
    {
        double[] burnt = new double[16];
        using (tracing.Start("all"))
        {
            await Task.WhenAll(Enumerable.Range(0, burnt.Length).Select(i => Task.Run(async () =>
            {
                using Activity span = tracing.Start($"{i}");
                double first = Burn.Milliseconds(i);
                await Task.Yield();
                burnt[i] = first + Burn.Milliseconds(i);
            })));
        }

        for (int i = 0; i < burnt.Length; i++)
        {
            tracing[$"{i}"].Total.Should().BeInRange(burnt[i] - 0.002, burnt[i] + SpanTimes.Tolerance, $"the thread of span {i} measured the same time");
            tracing[$"{i}"].SelfUser.Should().BeNull("it has no children");
        }

        tracing["all"].Total.Should().BeInRange(burnt.Sum() - 0.002, burnt.Sum() + (17 * SpanTimes.Tolerance));
        tracing["all"].Self.Should().BeInRange(0, 17 * SpanTimes.Tolerance);
    });

    [Fact]
    public Task A_parents_time_includes_its_children_as_that_of_a_watcher_does_and_its_own_time_does_not() => RetryAsync(async tracing =>
    {
        double own, child, grandchild, inBackground;
        CpuUsageAsyncWatcher outer = new();
        using (tracing.Start("parent"))
        {
            own = Burn.Milliseconds(4);
            using (tracing.Start("child"))
            {
                child = Burn.Milliseconds(6);
                await Task.Yield();
                using (tracing.Start("grandchild"))
                {
                    grandchild = Burn.Milliseconds(8);
                }
            }

            Assert.Equal("parent", Activity.Current!.OperationName);
            own += Burn.Milliseconds(2);
            inBackground = await Task.Run(() => Burn.Milliseconds(3));
        }

        outer.Stop();
        Burn.Milliseconds(3); // after its end
        ShouldBe(tracing["parent"].Total, own + inBackground + child + grandchild);
        ShouldBe(outer.GetTotalNanoseconds() / 1e6, own + inBackground + child + grandchild, 2 * SpanTimes.Tolerance);
        ShouldBe(tracing["parent"].Self, own + inBackground);
        ShouldBe(tracing["child"].Total, child + grandchild);
        ShouldBe(tracing["child"].Self, child);
        ShouldBe(tracing["grandchild"].Total, grandchild);
        tracing["grandchild"].SelfUser.Should().BeNull();
    });

    [Fact]
    public Task The_caller_of_an_asynchronous_child_gets_its_own_time_while_the_child_waits() => RetryAsync(async tracing =>
    {
        TaskCompletionSource gate = new(); // the child continues inside SetResult
        double own = 0, child = 0;
        using (tracing.Start("parent"))
        {
            Task running = ChildAsync();
            own = Burn.Milliseconds(5);
            gate.SetResult();
            own += Burn.Milliseconds(4);
            await running;
        }

        ShouldBe(tracing["child"].Total, child);
        ShouldBe(tracing["parent"].Total, own + child);
        ShouldBe(tracing["parent"].Self, own);

        async Task ChildAsync()
        {
            using Activity span = tracing.Start("child");
            child = Burn.Milliseconds(3);
            await gate.Task;
            child += Burn.Milliseconds(2);
        }
    });

    [Fact]
    public Task A_span_can_be_stopped_on_another_thread_and_in_another_flow() => RetryAsync(async tracing =>
    {
        Activity span = tracing.Start("span");
        double burnt = Burn.Milliseconds(4);
        Task stop;
        using (ExecutionContext.SuppressFlow())
        {
            stop = Task.Run(() =>
            {
                Assert.Null(Activity.Current);
                Burn.Milliseconds(3); // not in the span's flow
                span.Stop();
            });
        }

        await stop;
        Burn.Milliseconds(3); // after the span has stopped
        ShouldBe(tracing["span"].Total, burnt, 2 * SpanTimes.Tolerance); // waiting for the task is part of its flow
    });

    [Fact]
    public Task A_child_that_outlives_its_parent_counts_as_own_time_of_its_ancestors() => RetryAsync(async tracing =>
    {
        Activity grandparent = tracing.Start("grandparent");
        Activity parent = tracing.Start("parent");
        Activity child = tracing.Start("child");
        double before = Burn.Milliseconds(3);
        parent.Stop();
        double after = Burn.Milliseconds(5);
        child.Stop();
        grandparent.Stop();
        await Task.Yield();

        ShouldBe(tracing["child"].Total, before + after);
        ShouldBe(tracing["parent"].Total, before);
        ShouldBe(tracing["parent"].Self, before);
        ShouldBe(tracing["grandparent"].Total, before + after);
        ShouldBe(tracing["grandparent"].Self, after); // the earlier time belonged to the parent
    });

    [Fact]
    public Task Unmeasured_and_dropped_activities_count_for_the_enclosing_span_but_not_suspended_work_and_a_child_with_another_parent() =>
        RetryAsync(tracing =>
    {
        ActivityContext remote = new(ActivityTraceId.CreateRandom(), ActivitySpanId.CreateRandom(), ActivityTraceFlags.Recorded, isRemote: true);
        double own, inUnmeasured, inDropped, suspended, child;
        using (tracing.Start("parent"))
        {
            using (tracing.Start("not sampled"))
            using (tracing.Unselected.StartActivity("not selected"))
            {
                own = Burn.Milliseconds(3);
                using (tracing.Start("in unmeasured"))
                {
                    inUnmeasured = Burn.Milliseconds(5);
                }
            }

            using (Activity dropped = tracing.Start("dropped"))
            {
                dropped.IsAllDataRequested = false; // while it runs
                own += Burn.Milliseconds(4);
                using (tracing.Start("in dropped"))
                {
                    inDropped = Burn.Milliseconds(4);
                }
            }

            using (CpuUsageAsyncWatcher.Suspend())
            using (tracing.Start("suspended"))
            {
                suspended = Burn.Milliseconds(3);
            }

            using (tracing.Source.StartActivity("child", ActivityKind.Consumer, remote, links: [new ActivityLink(remote)]))
            {
                child = Burn.Milliseconds(4);
            }
        }

        ShouldBe(tracing["parent"].Total, own + inUnmeasured + inDropped + child, 3 * SpanTimes.Tolerance);
        ShouldBe(tracing["parent"].Self, own, 3 * SpanTimes.Tolerance);
        ShouldBe(tracing["in unmeasured"].Total, inUnmeasured);
        ShouldBe(tracing["in dropped"].Total, inDropped);
        ShouldBe(tracing["child"].Total, child);
        ShouldBe(tracing["suspended"].Total, suspended);
        ((string[])["not sampled", "not selected", "dropped"]).Should().OnlyContain(name => tracing[name].User == null);
        return Task.CompletedTask;
    }, name => name == "not sampled" ? ActivitySamplingResult.PropagationData : ActivitySamplingResult.AllDataAndRecorded);

    [FactNeeding(Need.Linux)]
    public Task Kernel_time_is_reported_separately() => RetryAsync(tracing =>
    {
        byte[] buffer = new byte[1 << 16];
        using (tracing.Start("parent"))
        {
            using (tracing.Start("child"))
            using (FileStream zeros = File.OpenRead("/dev/zero"))
            {
                long start = CpuUsageReader.GetThreadTimeNanoseconds();
                while (CpuUsageReader.GetThreadTimeNanoseconds() - start < 60_000_000)
                {
                    zeros.ReadExactly(buffer);
                }
            }

            Burn.Milliseconds(60);
        }

        double kernel = tracing["child"].System!.Value;
        kernel.Should().BeGreaterThan(tracing["child"].Total / 2);
        tracing["parent"].System.Should().BeGreaterThanOrEqualTo(kernel);
        tracing["parent"].SelfSystem.GetValueOrDefault().Should().BeLessThan(kernel / 2);
        return Task.CompletedTask;
    });

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public Task Spans_around_named_work_continue_on_all_threads(bool isStoppedInside) => RetryAsync(async tracing =>
    {
        using ManualResetEventSlim burnt = new(), end = new();
        double own = 0, onThread = 0;
        Task work;
        CpuUsageAsyncWatcher request = new();
        using (tracing.Start("grandparent"))
        {
            CpuUsageAsyncWatcher between = new();
            Activity span = tracing.Start("span");
            using (WatchedFlow.SuspendExceptSpans())
            {
                own = Burn.Milliseconds(2);
                work = Task.Factory.StartNew(
                    () =>
                    {
                        onThread = Burn.Milliseconds(5);
                        burnt.Set();
                        end.Wait();
                    },
                    TaskCreationOptions.LongRunning);
                burnt.Wait();
                if (isStoppedInside)
                {
                    span.Stop();
                }
            }

            span.Stop();
            between.Stop();
            ShouldBe(between.GetTotalNanoseconds() / 1e6, 0);
        }

        request.Stop();
        end.Set();
        await work;

        // The limits include the start of a thread, which takes up to half a millisecond on a busy machine.
        ShouldBe(tracing["span"].Total, own + onThread, 2 * SpanTimes.Tolerance);
        ShouldBe(tracing["grandparent"].Total, own + onThread, 2 * SpanTimes.Tolerance);
        ShouldBe(tracing["grandparent"].Self, 0);
        ShouldBe(request.GetTotalNanoseconds() / 1e6, 0);
    });

    /// <summary>Runs a test until it succeeds, at most ten times: the first run compiles the called methods, and a garbage collection on a
    /// thread of a span counts for the span.</summary>
    private static async Task RetryAsync(Func<Tracing, Task> test, Func<string, ActivitySamplingResult>? sample = null)
    {
        for (int attempt = 1; ; attempt++)
        {
            using Tracing tracing = new(sample);
            try
            {
                await test(tracing);
                return;
            }
            catch (XunitException) when (attempt < 10)
            {
            }
        }
    }

    private static void ShouldBe(double measured, double burnt, double tolerance = SpanTimes.Tolerance) =>
        measured.Should().BeInRange(burnt - tolerance, burnt + tolerance);
}
