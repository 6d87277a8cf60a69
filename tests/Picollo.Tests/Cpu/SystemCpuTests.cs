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
    public void Shares_refer_to_the_time_between_the_last_two_samples()
    {
        using var cpu = Sampled(
            sample => sample.Processes.Add(7, Task(7, start: 1, used: 3)),
            sample => sample.Processes.Add(7, Task(7, start: 1, used: 3.5)),
            sample => sample.Processes.Add(7, Task(7, start: 1, used: 5.5)));

        cpu.Update();
        cpu.Interval.Should().Be(TimeSpan.FromSeconds(1));
        cpu.Processes.Single().Share.Should().Be(0.5);
        cpu.Update();
        cpu.Processes.Single().Share.Should().Be(2);
    }

    [Fact]
    public void A_CPU_that_went_offline_is_absent_and_a_new_one_has_no_shares()
    {
        using var cpu = Sampled(
            sample => AddCpus(sample, 0, 1, 3),
            sample => AddCpus(sample, 0, 2, 3),
            sample => AddCpus(sample, 0, 1, 2, 3));

        cpu.Update();
        cpu.Cpus.Select(each => each.Cpu).Should().Equal(0, 2, 3);
        cpu.Cpus.Select(each => each.HasShares).Should().Equal(true, false, true);
        cpu.Update();
        cpu.Cpus.Select(each => each.HasShares).Should().Equal(true, false, true, true);
    }

    [Fact]
    public void A_new_process_counts_from_its_start()
    {
        using var cpu = Sampled(
            sample => sample.Processes.Add(7, Task(7, start: 1, used: 3)),
            sample => sample.Processes.Add(8, Task(8, start: 1.25, used: 0.25)));

        cpu.Update();
        cpu.Processes.Single().Share.Should().Be(0.25);
    }

    [Fact]
    public void A_reused_ID_is_another_process()
    {
        using var cpu = Sampled(
            sample => sample.Processes.Add(7, Task(7, start: 0.5, used: 3)),
            sample => sample.Processes.Add(7, Task(7, start: 1.25, used: 0.25)));

        cpu.Update();
        cpu.Processes.Single().Share.Should().Be(0.25, "3 s belong to another process");
    }

    [Fact]
    public void A_process_that_existed_but_was_not_read_has_no_share()
    {
        using var cpu = Sampled(
            _ => { },
            sample => sample.Processes.Add(7, Task(7, start: 0.5, used: 3)));

        cpu.Update();
        cpu.Processes.Single().Share.Should().BeNull("it is unknown how much of the 3 s was before the sample");
    }

    [Fact]
    public void Threads_have_their_own_IDs_and_shares()
    {
        using var cpu = Sampled(
            sample =>
            {
                sample.Threads.Add(7, Task(7, start: 1, used: 1, process: 7));
                sample.Threads.Add(9, Task(9, start: 1, used: 1, process: 7));
            },
            sample =>
            {
                sample.Threads.Add(9, Task(9, start: 1, used: 1.5, process: 7));
                sample.Threads.Add(7, Task(7, start: 1, used: 1.25, process: 7));
            });

        cpu.Update();
        cpu.Threads.Select(thread => (thread.Id, thread.ProcessId, thread.Share)).Should().Equal((9, 7, 0.5), (7, 7, 0.25));
        cpu.Processes.Should().BeEmpty();
    }

    [Fact]
    public void Shares_use_finer_times_if_both_samples_have_them()
    {
        using var cpu = Sampled(
            sample => sample.Processes.Add(7, Task(7, start: 1, used: 3, precise: 3.125)),
            sample => sample.Processes.Add(7, Task(7, start: 1, used: 3, precise: 3.25)),
            sample => sample.Processes.Add(7, Task(7, start: 1, used: 3.5)));

        cpu.Update();
        cpu.Processes.Single().Share.Should().Be(0.125);
        cpu.Update();
        cpu.Processes.Single().Share.Should().Be(0.5);
    }

    [Fact]
    public void Decreasing_times_give_a_share_of_0()
    {
        using var cpu = Sampled(
            sample => sample.Processes.Add(7, Task(7, start: 1, used: 3)),
            sample => sample.Processes.Add(7, Task(7, start: 1, used: 2)));

        cpu.Update();
        cpu.Processes.Single().Share.Should().Be(0);
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
    }

    [Fact]
    public void An_unsupported_system_has_its_cause()
    {
        Action create = () => new SystemCpu(SystemCpuParts.Machine, new CpuPlatform().CreateSystemCpuSource()).Dispose();

        create.Should().Throw<MeasurementUnavailableException>().Which.Cause.Should().Be(MeasurementUnavailableCause.NotSupported);
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
        foreach (var part in new[] { SystemCpuParts.None, SystemCpuParts.Machine, (SystemCpuParts)1024 })
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
    public void A_sample_list_can_be_indexed_and_enumerated()
    {
        var list = new SampleList<int>();
        for (int i = 0; i < 100; i++)
        {
            list.Add(i);
        }

        list.Should().Equal(Enumerable.Range(0, 100));
        list.Count.Should().Be(100);
        list[99].Should().Be(99);
        list.AsSpan().ToArray().Should().Equal(Enumerable.Range(0, 100));
        int sum = 0;
        foreach (int item in list)
        {
            sum += item;
        }

        sum.Should().Be(4_950);
        list.Where(item => item < 2).Should().Equal([0, 1], "it is also an ordinary sequence");
        list.Invoking(each => each[100]).Should().Throw<ArgumentOutOfRangeException>().WithParameterName("index");
        list.Invoking(each => each[-1]).Should().Throw<ArgumentOutOfRangeException>().WithParameterName("index");
    }

    [Fact]
    public void A_for_loop_over_the_lists_does_not_allocate()
    {
        using SystemCpu cpu = Sampled(
            sample => sample.Processes.Add(7, Task(7, start: 1, used: 3)),
            sample => sample.Processes.Add(7, Task(7, start: 1, used: 3.5)));
        cpu.Update();
        _ = Allocated(cpu.Processes);
        Allocated(cpu.Processes).Should().Be(0);

        static long Allocated(IReadOnlyList<ProcessCpu> list)
        {
            int sum = 0;
            long before = GC.GetAllocatedBytesForCurrentThread();
            for (int i = 0; i < list.Count; i++)
            {
                sum += list[i].Id;
            }

            long allocated = GC.GetAllocatedBytesForCurrentThread() - before;
            return sum == 7 ? allocated : -1;
        }
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
    }

    /// <summary>Takes samples one second apart, starting at second 1.</summary>
    private static SystemCpu Sampled(params Action<SystemCpuSample>[] samples) => new(SystemCpuParts.All, new ScriptedSource(
        [.. samples.Select((fill, i) => (Action<SystemCpuSample>)(sample =>
        {
            Now(sample, i + 1);
            fill(sample);
        }))]));

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
}
