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
    public Task A_parents_time_includes_its_children_and_its_own_time_does_not() => RetryAsync(async tracing =>
    {
        double own, child, grandchild, inBackground;
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

            own += Burn.Milliseconds(2);
            inBackground = await Task.Run(() => Burn.Milliseconds(3));
        }

        ShouldBe(tracing["parent"].Total, own + inBackground + child + grandchild);
        ShouldBe(tracing["parent"].Self, own + inBackground);
        ShouldBe(tracing["child"].Total, child + grandchild);
        ShouldBe(tracing["child"].Self, child);
        ShouldBe(tracing["grandchild"].Total, grandchild);
        tracing["grandchild"].SelfUser.Should().BeNull();
    });

    [Fact]
    public Task Code_after_a_stop_counts_for_the_parent() => RetryAsync(tracing =>
    {
        double own = 0, children = 0;
        using (tracing.Start("parent"))
        {
            for (int i = 0; i < 3; i++)
            {
                Activity child = tracing.Start("child");
                children += Burn.Milliseconds(2);
                child.Stop();
                Assert.Equal("parent", Activity.Current!.OperationName);
                own += Burn.Milliseconds(2);
            }
        }

        Burn.Milliseconds(3);
        ShouldBe(tracing["parent"].Total, own + children);
        ShouldBe(tracing["parent"].Self, own);
        return Task.CompletedTask;
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
    public Task Work_that_is_still_running_on_another_thread_counts_until_the_stop() => RetryAsync(async tracing =>
    {
        using ManualResetEventSlim burnt = new(), end = new();
        double taken = 0;
        Activity span = tracing.Start("span");
        Task work = Task.Factory.StartNew(
            () =>
            {
                taken = Burn.Milliseconds(5);
                burnt.Set();
                end.Wait();
            },
            TaskCreationOptions.LongRunning);
        burnt.Wait();
        span.Stop();
        end.Set();
        await work;

        tracing["span"].Total.Should().BeGreaterThanOrEqualTo(taken - 0.002);
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
    public Task Unmeasured_activities_count_for_the_enclosing_span() => RetryAsync(tracing =>
    {
        double own, grandchild;
        using (tracing.Start("grandparent"))
        using (tracing.Start("not sampled"))
        using (tracing.Unselected.StartActivity("not selected"))
        {
            own = Burn.Milliseconds(3);
            using (tracing.Start("grandchild"))
            {
                grandchild = Burn.Milliseconds(5);
            }
        }

        ShouldBe(tracing["grandparent"].Total, own + grandchild);
        ShouldBe(tracing["grandparent"].Self, own);
        ShouldBe(tracing["grandchild"].Total, grandchild);
        tracing["not sampled"].User.Should().BeNull();
        tracing["not selected"].User.Should().BeNull();
        return Task.CompletedTask;
    }, name => name == "not sampled" ? ActivitySamplingResult.PropagationData : ActivitySamplingResult.AllDataAndRecorded);

    [Fact]
    public Task A_child_in_the_flow_with_another_parent_is_subtracted_too() => RetryAsync(tracing =>
    {
        ActivityContext remote = new(ActivityTraceId.CreateRandom(), ActivitySpanId.CreateRandom(), ActivityTraceFlags.Recorded, isRemote: true);
        double own, child;
        using (tracing.Start("parent"))
        {
            own = Burn.Milliseconds(2);
            using (tracing.Source.StartActivity("child", ActivityKind.Consumer, remote, links: [new ActivityLink(remote)]))
            {
                child = Burn.Milliseconds(4);
            }
        }

        ShouldBe(tracing["child"].Total, child);
        ShouldBe(tracing["parent"].Total, own + child);
        ShouldBe(tracing["parent"].Self, own);
        return Task.CompletedTask;
    });

    [Fact]
    public Task The_own_time_of_a_child_that_is_dropped_while_it_runs_counts_for_its_parent() => RetryAsync(tracing =>
    {
        double own, grandchild;
        using (tracing.Start("parent"))
        {
            using Activity dropped = tracing.Start("dropped");
            dropped.IsAllDataRequested = false;
            own = Burn.Milliseconds(2);
            using (tracing.Start("grandchild"))
            {
                grandchild = Burn.Milliseconds(4);
            }
        }

        tracing["dropped"].User.Should().BeNull();
        ShouldBe(tracing["parent"].Total, own + grandchild);
        ShouldBe(tracing["parent"].Self, own);
        return Task.CompletedTask;
    });

    [Fact]
    public Task Suspended_work_is_not_part_of_enclosing_spans() => RetryAsync(tracing =>
    {
        double own, suspended;
        using (tracing.Start("parent"))
        {
            own = Burn.Milliseconds(2);
            using (CpuUsageAsyncWatcher.Suspend())
            using (tracing.Start("child"))
            {
                suspended = Burn.Milliseconds(4);
            }
        }

        ShouldBe(tracing["parent"].Total, own);
        tracing["parent"].SelfUser.Should().BeNull("the child was not in the parent's flow");
        ShouldBe(tracing["child"].Total, suspended);
        return Task.CompletedTask;
    });

    [Fact]
    public Task Watchers_around_and_inside_spans_measure_the_same_CPU_time() => RetryAsync(tracing =>
    {
        CpuUsageAsyncWatcher outer = new(listSwitches: true);
        double burnt;
        CpuUsageAsyncWatcher inner;
        using (tracing.Start("span"))
        {
            inner = new CpuUsageAsyncWatcher();
            burnt = Burn.Milliseconds(4);
            inner.Stop();
        }

        using (tracing.Start("leaf"))
        {
            burnt += Burn.Milliseconds(3);
        }

        outer.Stop();
        ShouldBe(outer.GetTotalNanoseconds() / 1e6, burnt);
        ShouldBe(tracing["span"].Total + tracing["leaf"].Total, burnt);
        ShouldBe(inner.GetTotalNanoseconds() / 1e6, tracing["span"].Total);
        outer.SwitchCount.Should().Be(0, "the thread did not leave the flow");
        return Task.CompletedTask;
    });

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
