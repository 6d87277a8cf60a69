using Picollo.Cpu;

namespace Picollo.Tests.Cpu;

/// <summary>Tests values that are computed from samples of any system.</summary>
public class SystemCpuTests
{
    private const long Second = 1_000_000_000;

    [Fact]
    public void Before_the_first_update_there_are_values_but_no_shares()
    {
        using var cpu = new SystemCpu(SystemCpuParts.All, new ScriptedSource(sample =>
        {
            Now(sample, 5);
            sample.LoadAverage = new LoadAverage(0.65, 0.33, 0.2);
            sample.Processes.Add(7, Task(7, start: 1, used: 3));
            sample.Cgroup = new CgroupCpu { Path = "/a", UsageNanoseconds = 1 };
        }));

        cpu.Total.HasShares.Should().BeFalse();
        cpu.Counters()[CpuState.User].Should().Be(TimeSpan.FromSeconds(5));
        cpu.Interval.Should().Be(TimeSpan.Zero);
        (cpu.LoadAverage1Minute, cpu.LoadAverage5Minutes, cpu.LoadAverage15Minutes).Should().Be((0.65, 0.33, 0.2));
        cpu.LoadAverage.ToString().Should().Be("0.65, 0.33, 0.20");
        cpu.Processes.Single().Share.Should().BeNull();
        cpu.Processes.Single().Usage.Total.Should().Be(TimeSpan.FromSeconds(3));
        cpu.Cgroup!.Value.Share.Should().BeNull();
        cpu.LimitingCgroup.Should().BeNull();
    }

    [Fact]
    public void A_share_is_the_time_that_was_used_between_the_last_two_samples()
    {
        Shares(Task(7, start: 1, used: 3), Task(7, start: 1, used: 3.5), Task(7, start: 1, used: 5.5)).Should().Equal(0.5, 2);
        Shares(Task(7, start: 1, used: 3), Task(8, start: 1.25, used: 0.25)).Should().Equal([0.25], "a new process counts from its start");
        Shares(Task(7, start: 0.5, used: 3), Task(7, start: 1.25, used: 0.25)).Should().Equal([0.25], "a reused ID is another process");
        Shares(null, Task(7, start: 0.5, used: 3)).Should().Equal([null], "it is unknown how much of the 3 s was before the sample");
        Shares(Task(7, start: 1, used: 3), Task(7, start: 1, used: 2)).Should().Equal(0);
        Shares(Task(7, start: 1, used: 3, precise: 3.125), Task(7, start: 1, used: 3, precise: 3.25), Task(7, start: 1, used: 3.5))
            .Should().Equal([0.125, 0.5], "finer times are used if both samples have them");
    }

    [Fact]
    public void A_CPU_that_went_offline_is_absent_and_a_new_one_has_no_shares()
    {
        using var cpu = Sampled(
            sample => AddCpus(sample, 0, 1, 2, 4),
            sample => AddCpus(sample, 0, 4, 5),
            sample => AddCpus(sample, 0, 1, 4, 5));

        cpu.Update();
        cpu.Cpus.Select(each => each.Cpu).Should().Equal(0, 4, 5);
        cpu.Cpus.Select(each => each.HasShares).Should().Equal(true, true, false);
        cpu.Update();
        cpu.Cpus.Select(each => each.HasShares).Should().Equal(true, false, true, true);
    }

    [Fact]
    public void A_clock_that_does_not_advance_gives_no_shares()
    {
        using var cpu = new SystemCpu(SystemCpuParts.All, new ScriptedSource(
            sample => Fill(sample, 5),
            sample => Fill(sample, 5),
            sample => Fill(sample, 4)));
        for (int i = 0; i < 2; i++)
        {
            cpu.Update();
            cpu.Interval.Should().Be(TimeSpan.Zero);
            cpu.Processes.Single().Share.Should().BeNull();
            cpu.Cgroup!.Value.Share.Should().BeNull();
        }

        static void Fill(SystemCpuSample sample, long seconds)
        {
            Now(sample, seconds);
            sample.Processes.Add(7, Task(7, start: 1, used: 3));
            sample.Cgroup = new CgroupCpu { Path = "/a", UsageNanoseconds = 1 };
        }
    }

    [Fact]
    public void A_cgroup_share_requires_the_same_group()
    {
        using var cpu = Sampled(
            sample => sample.Cgroup = new CgroupCpu { Path = "/a", UsageNanoseconds = Second },
            sample => sample.Cgroup = new CgroupCpu { Path = "/a", UsageNanoseconds = 3 * Second },
            sample => sample.Cgroup = new CgroupCpu { Path = "/b", UsageNanoseconds = 9 * Second });

        cpu.Update();
        cpu.Cgroup!.Value.Share.Should().Be(2);
        cpu.Update();
        cpu.Cgroup!.Value.Share.Should().BeNull("the process has moved");
    }

    [Fact]
    public void An_update_that_reads_nothing_has_a_reason_and_the_next_one_works()
    {
        using var cpu = new SystemCpu(SystemCpuParts.Machine, new ScriptedSource(
            sample => Now(sample, 1),
            sample => sample.SetStatesFailure(new("gone", MeasurementUnavailableCause.Unknown)),
            sample => Now(sample, 3),
            sample => Now(sample, 4)));

        cpu.Update();
        cpu.Total.HasShares.Should().BeFalse();
        cpu.Cpus.Should().BeEmpty();
        cpu.GetUnavailableReason(SystemCpuParts.States).Should().Be("gone");
        cpu.Update();
        cpu.Total.HasShares.Should().BeFalse();
        cpu.Update();
        cpu.Total.HasShares.Should().BeTrue();
        cpu.GetUnavailableReason(SystemCpuParts.States).Should().BeNull();
    }

    [Fact]
    public void A_machine_without_states_throws_with_the_reason()
    {
        var source = new ScriptedSource(sample => sample.SetStatesFailure(new("no /proc", MeasurementUnavailableCause.NotSupported, 2)));

        Action create = () => new SystemCpu(SystemCpuParts.Machine, source).Dispose();

        MeasurementUnavailableException thrown = create.Should().Throw<MeasurementUnavailableException>().WithMessage("no /proc").Which;
        (thrown.Cause, thrown.ErrorNumber).Should().Be((MeasurementUnavailableCause.NotSupported, 2));
        Action unsupported = () => new SystemCpu(SystemCpuParts.Machine, new CpuPlatform().CreateSystemCpuSource()).Dispose();
        unsupported.Should().Throw<MeasurementUnavailableException>().Which.Cause.Should().Be(MeasurementUnavailableCause.NotSupported);
    }

    [Fact]
    public void TryCreate_takes_the_first_sample()
    {
        SystemCpu.TryCreate(SystemCpuParts.None, out SystemCpu? cpu, out MeasurementUnavailableException? failure).Should().BeTrue(failure?.Message);
        cpu!.Cpus.Should().NotBeEmpty();
        cpu.Dispose();
    }

    [Fact]
    public void A_part_that_was_not_requested_has_a_reason()
    {
        var source = new ScriptedSource(sample => Now(sample, 1));
        using var cpu = new SystemCpu(SystemCpuParts.Pressure, source);

        source.RequestedParts.Should().Be(SystemCpuParts.Pressure | SystemCpuParts.States);
        cpu.GetUnavailableReason(SystemCpuParts.Threads).Should().Contain("SystemCpuParts.Threads");
        cpu.GetUnavailableReason(SystemCpuParts.Pressure).Should().BeNull();
    }

    [Fact]
    public void Undefined_parts_are_rejected()
    {
        Action create = () => new SystemCpu((SystemCpuParts)1024).Dispose();
        Action tryCreate = () => SystemCpu.TryCreate((SystemCpuParts)1024, out _, out _);
        create.Should().Throw<ArgumentOutOfRangeException>().WithParameterName("parts");
        tryCreate.Should().Throw<ArgumentOutOfRangeException>().WithParameterName("parts");

        using var cpu = new SystemCpu(SystemCpuParts.All, new ScriptedSource(sample => Now(sample, 1)));
        foreach (SystemCpuParts part in new[] { SystemCpuParts.None, SystemCpuParts.Machine, (SystemCpuParts)1024 })
        {
            Action ask = () => cpu.GetUnavailableReason(part);
            ask.Should().Throw<ArgumentOutOfRangeException>().WithParameterName("part");
        }
    }

    [Fact]
    public void After_dispose_the_last_sample_remains_readable()
    {
        var source = new ScriptedSource(sample => Now(sample, 1), sample => Now(sample, 2));
        var cpu = new SystemCpu(SystemCpuParts.None, source);
        cpu.Update();

        cpu.Dispose();
        cpu.Dispose();

        cpu.Total.HasShares.Should().BeTrue();
        cpu.Invoking(each => each.Update()).Should().Throw<ObjectDisposedException>();
    }

    [Fact]
    public void A_loop_over_a_refilled_list_ends_after_the_former_count()
    {
        var list = new SampleList<int>();
        list.Add(1);
        list.Add(2);
        var seen = new List<int>();
        foreach (int item in list)
        {
            seen.Add(item);
            list.Clear();
            list.Add(3);
            list.Add(4);
            list.Add(5);
        }

        seen.Should().Equal(1, 4);
        list.AsSpan().ToArray().Should().Equal(3, 4, 5);
        list.Invoking(each => each[3]).Should().Throw<ArgumentOutOfRangeException>().WithParameterName("index");
        list.Invoking(each => each[-1]).Should().Throw<ArgumentOutOfRangeException>().WithParameterName("index");
    }

    /// <summary>Takes samples one second apart, starting at second 1.</summary>
    private static SystemCpu Sampled(params Action<SystemCpuSample>[] samples) => new(SystemCpuParts.All, new ScriptedSource(
        [.. samples.Select((fill, i) => (Action<SystemCpuSample>)(sample =>
        {
            Now(sample, i + 1);
            fill(sample);
        }))]));

    /// <summary>Returns the share after each update; the first sample may have no process.</summary>
    private static double?[] Shares(params TaskSample?[] processes)
    {
        using SystemCpu cpu = Sampled([.. processes.Select(process => (Action<SystemCpuSample>)(sample =>
        {
            if (process is { } known)
            {
                sample.Processes.Add(known.Id, known);
            }
        }))]);
        return [.. processes.Skip(1).Select(_ =>
        {
            cpu.Update();
            return cpu.Processes.Single().Share;
        })];
    }

    private static void Now(SystemCpuSample sample, long seconds)
    {
        sample.TimestampNanoseconds = seconds * Second;
        sample.Total = CpuStatesTests.Times((CpuState.User, seconds * 1_000), (CpuState.Idle, seconds * 1_000));
    }

    private static void AddCpus(SystemCpuSample sample, params int[] cpus)
    {
        foreach (int cpu in cpus)
        {
            sample.Cpus.Add((cpu, sample.Total));
        }
    }

    private static TaskSample Task(int id, double start, double used, double? precise = null, int process = 0) => new()
    {
        Id = id,
        Shown = new ProcessCpu
        {
            Id = process == 0 ? id : process,
            StartNanoseconds = (long)(start * Second),
            Name = "task",
            Usage = new CpuUsage((long)(used * Second), 0),
        },
        PreciseNanoseconds = precise is null ? null : (long)(precise * Second),
    };

    [Fact]
    public void The_wait_of_a_process_is_the_sum_of_its_threads_since_the_previous_sample()
    {
        WaitShares([(7, 1.0, 10), (8, 2.0, 10)], [(7, 1.25, 11), (8, 2.125, 11)]).Should().Equal(0.375);
        WaitShares([(7, 1.0, 10), (8, 2.0, 10)], [(7, 1.25, 11), (9, 0.5, 1)])
            .Should().Equal([0.75], "new threads count and ended ones do not");
        WaitShares([(7, 1.0, 10), (8, 0.25, 10)], [(7, 1.0, 10), (8, 0.5, 2)])
            .Should().Equal([0.5], "an ID with fewer runs is another thread");
        WaitShares([(7, 0, 1), (8, 0, 1)], [(7, 9e9, 2), (8, 9e9, 2)]).Should().Equal([long.MaxValue / (double)Second], "no wrap");
        WaitShares([], [(7, 3.0, 10)], [(7, 3.5, 10)], [])
            .Should().Equal([null, 0.5, null], "no waits are known in the first and the last sample");
    }

    [Fact]
    public void A_new_process_counts_from_its_start_and_an_unread_one_has_no_wait()
    {
        using var cpu = Sampled(
            _ => { },
            sample =>
            {
                AddWaits(sample, 7, start: 1.5, (7, 0.25, 1));
                AddWaits(sample, 8, start: 0.5, (8, 0.25, 1));
            });

        cpu.Update();
        cpu.Processes.Select(each => each.WaitShare).Should().Equal(0.25, null);
    }

    [Fact]
    public void A_thread_has_its_own_wait()
    {
        using var cpu = Sampled(
            sample =>
            {
                AddThread(sample, 7, start: 0.5, (1.0, 10));
                AddThread(sample, 9, start: 0.5, null);
            },
            sample =>
            {
                AddThread(sample, 7, start: 0.5, (1.25, 11));
                AddThread(sample, 8, start: 1.5, (0.125, 1));
                AddThread(sample, 9, start: 0.5, (0.5, 1));
                AddThread(sample, 10, start: 1.5, null);
            });

        cpu.Update();
        cpu.Threads.Select(each => each.WaitShare).Should().Equal(0.25, 0.125, null, null);
    }

    /// <summary>Returns the share of the process after each update.</summary>
    private static double?[] WaitShares(params (long Thread, double Seconds, long Runs)[][] waits)
    {
        using SystemCpu cpu = Sampled(
            [.. waits.Select(each => (Action<SystemCpuSample>)(sample => AddWaits(sample, 7, start: 0.5, each)))]);
        return [.. waits.Skip(1).Select(_ =>
        {
            cpu.Update();
            return cpu.Processes.Single().WaitShare;
        })];
    }

    private static void AddWaits(SystemCpuSample sample, int id, double start, params (long Thread, double Seconds, long Runs)[] waits)
    {
        int first = sample.Waits.Count;
        foreach ((long thread, double seconds, long runs) in waits)
        {
            sample.Waits.Add(thread, new ThreadWait(thread, (long)(seconds * Second), runs));
        }

        sample.Processes.Add(id, Task(id, start, used: 0) with { FirstWait = first, WaitCount = waits.Length });
    }

    private static void AddThread(SystemCpuSample sample, long id, double start, (double Seconds, long Runs)? wait)
    {
        if (wait is { } known)
        {
            sample.Waits.Add(id, new ThreadWait(id, (long)(known.Seconds * Second), known.Runs));
        }

        sample.Threads.Add(id, Task((int)id, start, used: 0, process: 7));
    }
}
