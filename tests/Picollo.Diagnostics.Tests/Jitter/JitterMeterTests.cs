using Picollo.Interop.Native;

namespace Picollo.Diagnostics.Tests;

/// <summary>Tests the life cycle of the meter with a simulated system.</summary>
public sealed class JitterMeterTests
{
    private static readonly TimeSpan Deadline = TimeSpan.FromMinutes(1);

    [Fact]
    public async Task All_samples_are_recorded()
    {
        ulong[] lateBy = [.. Enumerable.Range(0, 5_000).Select(i => (ulong)(i * 7 % 900_000))];
        var system = new ScriptedJitterSystem { Scripts = { [0] = new JitterScript(lateBy), [1] = new JitterScript(1, 2, 3) } };
        Dictionary<int, List<ulong>> given = new() { [0] = [], [1] = [] };
        using JitterMeter meter = Start(system, new JitterMeterOptions
        {
            Loops = 5_000,
            Samples = (cpu, due, latencies) =>
            {
                due.Should().Be((long)JitterScript.Start + ((given[cpu].Count + 1) * 1_000_000L));
                given[cpu].AddRange(latencies);
            },
        });
        await meter.Completion.WaitAsync(Deadline);

        ulong[] expected = JitterScript.Latencies(1_000_000, lateBy);
        given[0].Should().Equal(expected);
        CpuJitterStatus status = meter.Cpus[0].GetStatus();
        status.Should().BeEquivalentTo(new CpuJitterStatus(5_000, 0, expected.Min(), status.MeanNanoseconds, expected.Max(), expected[^1]));
        status.MeanNanoseconds.Should().BeApproximately(expected.Average(latency => (double)latency), 1e-6);
        meter.Cpus[1].GetStatus().Should().Be(new CpuJitterStatus(5_000, 0, 0, 6 / 5_000.0, 3, 0));
        meter.Cpus.Select(cpu => (cpu.Cpu, cpu.ThreadId, cpu.Histogram.TotalCount)).Should().Equal((0, 1_000, 5_000), (1, 1_001, 5_000));
        meter.Break.Should().BeNull();
        system.Unreleased.Should().Be((0, 0, 0));
    }

    [Fact]
    public async Task A_delayed_reader_loses_samples_and_reports_their_number()
    {
        // The handler blocks until the loop has ended, so samples that do not fit into the ring are lost.
        using ManualResetEventSlim isRead = new();
        var script = new JitterScript { Meanwhile = i => (i != 1 || isRead.Wait(Deadline)).Should().BeTrue() };
        var system = new ScriptedJitterSystem { All = [0], Scripts = { [0] = script } };
        List<(long Due, int Count)> batches = [];
        using JitterMeter meter = Start(system, new JitterMeterOptions
        {
            Loops = 100_000,
            Samples = (_, due, latencies) =>
            {
                batches.Add((due, latencies.Length));
                if (batches.Count == 1)
                {
                    isRead.Set();
                    SpinWait.SpinUntil(() => system.Unreleased.Inside == 0, Deadline).Should().BeTrue();
                }
            },
        });
        await meter.Completion.WaitAsync(Deadline);

        CpuJitterStatus status = meter.Cpus[0].GetStatus();
        status.Lost.Should().BePositive().And.Be(meter.Cpus[0].LostCount);
        (status.Count + status.Lost).Should().Be(100_000);
        batches.Sum(batch => (long)batch.Count).Should().Be(status.Count);
    }

    [Fact]
    [Trait("Category", "Slow")]
    public async Task A_measurement_with_an_interval_too_short_for_the_CPU_ends_after_its_duration()
    {
        var system = new ScriptedJitterSystem { All = [0], Scripts = { [0] = new JitterScript { Meanwhile = _ => Thread.Sleep(50) } } };
        using JitterMeter meter = await RunAsync(system, new JitterMeterOptions { Duration = TimeSpan.FromSeconds(1) });
        meter.UnavailableReasons.Should().ContainSingle().Which.Should().Contain("Choose a longer interval");
        meter.Cpus[0].GetStatus().Count.Should().BeInRange(1, 999);
    }

    [Fact]
    public async Task A_duration_includes_all_wake_ups_that_are_due_within_it()
    {
        foreach ((TimeSpan interval, TimeSpan duration, long? loops, long expected) in new (TimeSpan, TimeSpan, long?, long)[]
        {
            (TimeSpan.FromMilliseconds(1), TimeSpan.FromMilliseconds(250), null, 250),
            (TimeSpan.FromMilliseconds(1), TimeSpan.FromMilliseconds(2.9), null, 2),
            (TimeSpan.FromSeconds(1), TimeSpan.FromMilliseconds(1), null, 1),
            (TimeSpan.FromMilliseconds(1), TimeSpan.FromMilliseconds(250), 10, 10),
            (TimeSpan.FromMilliseconds(1), TimeSpan.MaxValue, 10, 10),
        })
        {
            var system = new ScriptedJitterSystem { Scripts = { [0] = new JitterScript(5_000_000_000), [1] = new JitterScript() } };
            using JitterMeter meter = await RunAsync(system, new JitterMeterOptions { Interval = interval, Duration = duration, Loops = loops });
            meter.Cpus.Select(cpu => cpu.GetStatus().Count).Should().Equal([expected, expected], "even though the first CPU is immediately late by 5 s");
        }
    }

    [Fact]
    public async Task A_latency_above_the_limit_ends_all_loops_and_is_reported()
    {
        var system = new ScriptedJitterSystem { Scripts = { [1] = new JitterScript(1_000, 30_000, 30_001) } };
        using JitterMeter meter = await RunAsync(system, new JitterMeterOptions { BreakAbove = TimeSpan.FromMicroseconds(30) });

        meter.Break.Should().Be(new JitterBreak(1, 30_001, meter.Break!.MarkUnavailableReason, meter.Break.StopUnavailableReason));
        meter.Break.MarkUnavailableReason.Should().Contain("mount -t tracefs");
        meter.Break.StopUnavailableReason.Should().Be(meter.Break.MarkUnavailableReason);
        meter.Cpus[1].GetStatus().Should().Be(new CpuJitterStatus(3, 0, 1_000, 61_001 / 3.0, 30_001, 30_001));
        system.Unreleased.Should().Be((0, 0, 0));
    }

    [Fact]
    public async Task The_first_of_several_breaks_is_reported_and_marked()
    {
        string folder = Directory.CreateTempSubdirectory("picollo-trace-").FullName;
        string marker = Path.Combine(folder, "trace_marker");
        File.WriteAllText(marker, string.Empty);
        var system = new ScriptedJitterSystem { All = [0, 1, 2, 3], TracingFolders = [Path.Combine(folder, "not-mounted"), folder] };
        Array.ForEach(system.All, cpu => system.Scripts.Add(cpu, new JitterScript(1_000_000)));
        using JitterMeter meter = await RunAsync(system, new JitterMeterOptions { BreakAbove = TimeSpan.FromMicroseconds(1) });

        (meter.Break!.LatencyNanoseconds, meter.Break.IsMarked).Should().Be((1_000_000, true));
        File.ReadAllText(marker).Should().Be($"picollo jitter: CPU {meter.Break.Cpu}: latency 1000000 ns\n");
        Directory.Delete(folder, recursive: true);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_stopped_or_disposed_meter_ends_and_can_be_read(bool isDisposed)
    {
        var system = new ScriptedJitterSystem();
        JitterMeter meter = Start(system, new JitterMeterOptions());
        SpinWait.SpinUntil(() => meter.Cpus.All(cpu => cpu.GetStatus().Count > 0), Deadline).Should().BeTrue("samples arrive while the meter runs");
        meter.Completion.IsCompleted.Should().BeFalse();
        if (isDisposed)
        {
            await meter.DisposeAsync();
        }
        else
        {
            meter.Stop();
        }

        system.Unreleased.Should().Be((0, 0, 0));
        meter.Completion.IsCompletedSuccessfully.Should().BeTrue();
        CpuJitterStatus status = meter.Cpus[0].GetStatus();
        meter.Stop();
        meter.Dispose();
        meter.Cpus[0].GetStatus().Should().Be(status);
        meter.Cpus[0].Histogram.TotalCount.Should().Be((ulong)status.Count);
        ((IDisposable)meter.Cpus[0].Histogram).Dispose(); // without effect
        meter.Cpus[0].Histogram.TotalCount.Should().Be((ulong)status.Count);
    }

    [Fact]
    public async Task Asynchronous_disposal_does_not_throw_or_wait_for_the_handler()
    {
        TaskCompletionSource<JitterMeter> started = new();
        JitterMeter meter = Start(new ScriptedJitterSystem(), new JitterMeterOptions
        {
            Samples = (_, _, _) =>
            {
                started.Task.Result.DisposeAsync().AsTask().IsCompleted.Should().BeTrue();
                throw new InvalidDataException();
            },
        });
        started.SetResult(meter);
        await meter.Invoking(each => each.Completion.WaitAsync(Deadline)).Should().ThrowAsync<InvalidDataException>();
        await meter.DisposeAsync();
    }

    [Fact]
    public async Task Later_changes_of_options_do_not_affect_the_meter()
    {
        JitterMeterOptions options = new();
        options.Loops = 20;
        List<int> cpus = [1];
        options.Cpus = cpus;
        using JitterMeter meter = Start(new ScriptedJitterSystem(), options);
        (options.Loops, options.Samples) = (1, (_, _, _) => throw new InvalidDataException());
        cpus.Add(0);
        await meter.Completion.WaitAsync(Deadline);

        meter.Cpus.Should().ContainSingle().Which.GetStatus().Count.Should().Be(20);
    }

    [Fact]
    public async Task An_exception_of_the_handler_ends_the_measurement()
    {
        var system = new ScriptedJitterSystem { Scripts = { [0] = new JitterScript(1, 2, 3), [1] = new JitterScript(4, 5, 6) } };
        int calls = 0;
        JitterMeter meter = Start(system, new JitterMeterOptions
        {
            Loops = 3,
            Samples = (_, _, _) =>
            {
                calls++;
                throw new InvalidDataException("the disk is full");
            },
        });
        (await meter.Invoking(each => each.Completion.WaitAsync(Deadline)).Should().ThrowAsync<InvalidDataException>()).WithMessage("the disk is full");
        meter.Invoking(each => each.Stop()).Should().Throw<InvalidDataException>();
        meter.Invoking(each => each.Dispose()).Should().NotThrow();
        calls.Should().Be(1);
        meter.Cpus.Select(cpu => cpu.GetStatus().Count).Should().Equal(3, 3);
        system.Unreleased.Should().Be((0, 0, 0));

        using JitterMeter unlimited = Start(new ScriptedJitterSystem(), new JitterMeterOptions { Samples = (_, _, _) => throw new InvalidDataException() });
        unlimited.Invoking(each => each.Completion.Wait(Deadline)).Should().Throw<InvalidDataException>();
    }

    [Fact]
    public async Task The_handler_can_stop_the_meter()
    {
        var system = new ScriptedJitterSystem();
        TaskCompletionSource<JitterMeter> started = new();
        JitterMeter meter = Start(system, new JitterMeterOptions { Samples = (_, _, _) => started.Task.Result.Stop() });
        started.SetResult(meter);
        await meter.Completion.WaitAsync(Deadline);
        meter.Cpus.Max(cpu => cpu.GetStatus().Count).Should().BePositive();
    }

    [Fact]
    public void A_thread_that_cannot_be_pinned_fails_and_releases_everything()
    {
        var system = new ScriptedJitterSystem { All = [0, 1, 2], RefusedCpu = 1 };
        JitterMeterOptions options = new() { BreakAbove = TimeSpan.FromSeconds(1) };
        JitterMeter.TryStart(system, options, JitterPlan.FromOptions(options), out JitterMeter? meter, out MeasurementUnavailableException? failure).Should().BeFalse();
        meter.Should().BeNull();
        failure!.Message.Should().Be("refused");
        system.Unreleased.Should().Be((0, 0, 0));
    }

    [Fact]
    public async Task A_refused_sleep_is_reported()
    {
        var system = new ScriptedJitterSystem { Scripts = { [1] = new JitterScript { Refusal = 1 }, [0] = new JitterScript(1) } };
        using JitterMeter meter = Start(system, new JitterMeterOptions { Loops = 1 });
        (await meter.Invoking(each => each.Completion.WaitAsync(Deadline)).Should().ThrowAsync<MeasurementUnavailableException>())
            .WithMessage("*clock_nanosleep*seccomp*").Which.Cause.Should().Be(MeasurementUnavailableCause.SeccompFilter);
    }

    [Fact]
    [Trait("Category", "Slow")]
    public async Task The_measurement_of_a_moved_thread_ends()
    {
        var system = new ScriptedJitterSystem { All = [1], MovedCpu = 1 };
        using JitterMeter meter = await RunAsync(system, new JitterMeterOptions());
        meter.UnavailableReasons.Should().ContainSingle().Which.Should().StartWith("CPU 1 went offline");
    }

    [FactNeeding(Need.Linux)]
    public void A_limit_that_several_threads_find_is_reported_once_and_without_options_the_defaults_apply()
    {
        using JitterMeter meter = Start(new ScriptedJitterSystem { Limit = "no" }, new JitterMeterOptions()), real = JitterMeter.Start();
        meter.UnavailableReasons.Should().Equal("no");
        real.Cpus.Should().NotBeEmpty();
    }

    [Fact]
    public void Options_out_of_range_are_rejected()
    {
        void Rejected(JitterMeterOptions options, string name, string range) => FluentActions.Invoking(() => JitterMeter.Start(options))
            .Should().Throw<ArgumentOutOfRangeException>().WithParameterName(name).WithMessage($"*{range}*");

        Rejected(new() { Interval = TimeSpan.FromTicks(9) }, "Interval", "1 µs to 1 s");
        Rejected(new() { Interval = TimeSpan.FromMilliseconds(1_000.1) }, "Interval", "1 µs to 1 s");
        Rejected(new() { Priority = 0 }, "Priority", "1 to 99");
        Rejected(new() { Priority = 100 }, "Priority", "1 to 99");
        Rejected(new() { Duration = TimeSpan.Zero }, "Duration", "more than 0");
        Rejected(new() { Loops = 0 }, "Loops", "1 or more");
        Rejected(new() { BreakAbove = TimeSpan.FromTicks(-1) }, "BreakAbove", "more than 0");
        Rejected(new() { Cpus = [] }, "Cpus", "at least one");
        Rejected(new() { Cpus = [0, -1] }, "Cpus", "non-negative");
        FluentActions.Invoking(() => JitterMeter.TryStart(new() { Loops = -1 }, out _, out _)).Should().Throw<ArgumentOutOfRangeException>();
        JitterPlan.FromOptions(new() { Interval = JitterMeterOptions.MinInterval, Priority = 99, BreakAbove = TimeSpan.FromTicks(1) })
            .Should().Be(new JitterPlan(1_000, JitterState.Unlimited, 100));
    }

    [Fact]
    public void The_mean_is_exact_even_if_the_sum_exceeds_64_bits()
    {
        CpuJitter jitter = new(0, 0);
        jitter.GetStatus().Should().Be(default(CpuJitterStatus), "there was no wake-up");
        jitter.Add([ulong.MaxValue / 2, ulong.MaxValue / 2, ulong.MaxValue / 2]);
        jitter.GetStatus().MeanNanoseconds.Should().Be((double)(ulong.MaxValue / 2));
        jitter.Histogram.OverflowCount.Should().Be(3, "39 hours is the limit of the histogram");
    }

    private static async Task<JitterMeter> RunAsync(ScriptedJitterSystem system, JitterMeterOptions options)
    {
        JitterMeter meter = Start(system, options);
        await meter.Completion.WaitAsync(Deadline);
        return meter;
    }

    private static JitterMeter Start(ScriptedJitterSystem system, JitterMeterOptions options)
    {
        JitterMeter.TryStart(system, options, JitterPlan.FromOptions(options), out JitterMeter? meter, out MeasurementUnavailableException? failure).Should().BeTrue(failure?.Message);
        return meter!;
    }
}
