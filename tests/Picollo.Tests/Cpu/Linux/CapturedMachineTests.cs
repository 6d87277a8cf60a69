using Picollo.Cpu;
using Picollo.Cpu.Linux;

namespace Picollo.Tests.Cpu.Linux;

/// <summary>Whole trees of /proc and /sys, as machines and containers have them, read by the same system calls.</summary>
public class CapturedMachineTests
{
    private const string V2Mount = "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";

    [LinuxFact]
    public void Two_samples_of_files_make_shares()
    {
        using var root = new CapturedRoot();
        root.Write("proc/loadavg", "0.65 0.33 0.20 2/249 3797\n");
        using SystemCpu cpu = root.Open();
        root.Write("proc/stat", """
            cpu  1050 250 300 4100 50 0 10 5 0 0
            cpu0 550 100 150 2050 25 0 5 3 0 0

            """);
        root.Write("proc/loadavg", "0.75 0.34 0.20 2/251 3799\n");

        cpu.Update();

        cpu.Total.ToString().Should().Be("25.0 us,  0.0 sy, 25.0 ni, 50.0 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st");
        cpu.Cpus.Should().ContainSingle("CPU 1 has gone offline").Which.User.Should().Be(0.5);
        cpu.LoadAverage.Should().Be(new LoadAverage(0.75, 0.34, 0.2));
        cpu.RunQueue.Should().Be(new RunQueueState(2, null, 251), "the second file does not tell who is blocked");
        cpu.Interval.Should().BePositive();
    }

    [LinuxFact]
    public void A_file_larger_than_the_buffer_is_read_whole()
    {
        using var root = new CapturedRoot();
        root.Write("proc/stat", "cpu  1 2 3 4 5 6 7 8 0 0\n"
            + string.Concat(Enumerable.Range(0, 2_000).Select(i => $"cpu{i} 100{i} 200 300 4000 50 0 10 5 0 0\n")) + "procs_running 77\n");

        using SystemCpu cpu = root.Open();

        cpu.Cpus.Select(each => each.Cpu).Should().Equal(Enumerable.Range(0, 2_000).Select(i => (int?)i));
        cpu.RunQueue!.Value.Running.Should().Be(77);
    }

    [LinuxFact]
    public void Without_proc_the_constructor_says_what_to_do()
    {
        using var root = new CapturedRoot();
        root.Delete("proc/stat");

        root.Invoking(each => each.Open()).Should().Throw<MeasurementUnavailableException>().WithMessage("*mount /proc*");
    }

    [LinuxFact]
    public void A_bare_machine_has_a_reason_for_each_part_that_is_absent()
    {
        using var root = new CapturedRoot();
        root.Write("proc/stat", "cpu  1 2 3 4 5 6 7 8 0 0\n");
        using SystemCpu cpu = root.Open();

        cpu.Update();

        cpu.LoadAverage.Should().BeNull();
        cpu.RunQueue.Should().BeNull();
        cpu.Pressure.Should().BeNull();
        cpu.Cgroup.Should().BeNull();
        cpu.LimitingCgroup.Should().BeNull();
        cpu.Processes.Should().BeEmpty();
        cpu.GetProblem(SystemCpuParts.States).Should().BeNull();
        cpu.GetProblem(SystemCpuParts.LoadAverage).Should().Be(LinuxReasons.NoLoadAverage);
        cpu.GetProblem(SystemCpuParts.RunQueue).Should().Be(LinuxReasons.NoRunQueue);
        cpu.GetProblem(SystemCpuParts.Pressure).Should().Be(LinuxReasons.NoPressure);
        cpu.GetProblem(SystemCpuParts.Cgroup).Should().Be(LinuxReasons.NotInCgroup);
        cpu.GetProblem(SystemCpuParts.Processes).Should().Be(LinuxReasons.Hidden, "there is no process 1");
        cpu.GetProblem(SystemCpuParts.Threads).Should().Be(LinuxReasons.Hidden);
    }

    [LinuxFact]
    public void A_proc_that_goes_away_is_no_exception_of_an_update()
    {
        using var root = new CapturedRoot();
        using SystemCpu cpu = root.Open();
        Directory.Delete(Path.Combine(root.Folder, "proc"), recursive: true);

        cpu.Update();

        cpu.Total.HasShares.Should().BeFalse();
        cpu.GetProblem(SystemCpuParts.States).Should().Be(LinuxReasons.NoStates);
        cpu.GetProblem(SystemCpuParts.Processes).Should().Be(LinuxReasons.NoProc);
        root.Write("proc/stat", CapturedRoot.TwoCpus);
        cpu.Update();
        cpu.GetProblem(SystemCpuParts.States).Should().BeNull();
    }

    [LinuxFact]
    public void Processes_and_threads_come_from_their_files()
    {
        using var root = new CapturedRoot();
        WriteProcess(root, 1, "init");
        WriteProcess(root, 2318, "a) R 1 (b", threads: [2318, 2400]);
        using SystemCpu cpu = root.Open();

        cpu.Processes.Select(each => (each.Id, each.Name)).Should().BeEquivalentTo([(1, "init"), (2318, "a) R 1 (b")]);
        ProcessCpu odd = cpu.Processes.Single(each => each.Id == 2318);
        (odd.State, odd.Nice, odd.Priority, odd.ThreadCount, odd.LastCpu).Should().Be(('R', 5, 25, 4, 1));
        odd.Usage.Total.Should().Be(TimeSpan.FromSeconds(1.5));
        cpu.Threads.Select(each => (each.Id, each.ProcessId)).Should().BeEquivalentTo([(2318L, 2318), (2400L, 2318)]);
        cpu.GetProblem(SystemCpuParts.Processes).Should().BeNull();
    }

    [LinuxFact]
    public void Ids_that_end_between_listing_and_reading_are_not_in_the_list()
    {
        using var root = new CapturedRoot();
        WriteProcess(root, 1, "init");
        Directory.CreateDirectory(Path.Combine(root.Folder, "proc/77")); // listed, and nothing in it any more
        root.Write("proc/78/stat", "");
        root.Write("proc/79/stat", ProcTaskStatTests.Line("truncated")[..40]);
        WriteProcess(root, 80, "half", threads: [80]);
        Directory.CreateDirectory(Path.Combine(root.Folder, "proc/80/task/81"));
        root.Write("proc/self/stat", "1 (init) R");
        root.Write("proc/0/stat", ProcTaskStatTests.Line("zero"));
        root.Write("proc/99999999999/stat", ProcTaskStatTests.Line("large"));
        using SystemCpu cpu = root.Open();

        cpu.Processes.Select(each => each.Id).Should().BeEquivalentTo([1, 80]);
        cpu.Threads.Select(each => each.Id).Should().BeEquivalentTo([80L]);
        cpu.GetProblem(SystemCpuParts.Processes).Should().BeNull();
    }

    [LinuxFact]
    public void A_threads_share_is_in_nanoseconds_where_the_kernel_tells_them()
    {
        using var root = new CapturedRoot();
        WriteProcess(root, 1, "init");
        WriteProcess(root, 7, "worker", threads: [7, 8, 9]);
        root.Write("proc/7/task/7/schedstat", "1500000000 1 1\n"); // 1.5 s, as the ticks have it
        root.Write("proc/7/task/8/schedstat", "0 0 0\n"); // a kernel without these statistics
        using SystemCpu cpu = root.Open(SystemCpuParts.Threads);

        root.Write("proc/7/task/7/schedstat", "1500000500 1 1\n");
        root.Write("proc/7/task/8/stat", ProcTaskStatTests.Line("busy").Replace(" 130 20 ", " 133 21 ", StringComparison.Ordinal));
        cpu.Update();

        double seconds = cpu.Interval.TotalSeconds;
        double? Share(long id) => cpu.Threads.Single(each => each.Id == id).Share;
        (Share(7) * seconds).Should().BeApproximately(500e-9, 1e-9 + (500e-9 * 100e-9 / seconds));
        (Share(8) * seconds).Should().BeApproximately(0.040, 1e-3, "it took four ticks");
        Share(9).Should().Be(0);
        cpu.Processes.Should().BeEmpty();
    }

    [LinuxFact]
    public void In_v2_the_smallest_limit_above_counts()
    {
        using var root = new CapturedRoot();
        root.Write("proc/self/cgroup", "0::/pod/web\n").Write("proc/self/mountinfo", V2Mount);
        root.Write("sys/fs/cgroup/cpu.max", "800000 100000\n").Write("sys/fs/cgroup/cpu.stat", "usage_usec 99000000\n");
        root.Write("sys/fs/cgroup/pod/cpu.max", "150000 100000\n")
            .Write("sys/fs/cgroup/pod/cpu.stat", "usage_usec 20000000\nnr_periods 100\nnr_throttled 40\nthrottled_usec 3000000\n");
        root.Write("sys/fs/cgroup/pod/web/cpu.max", "200000 100000\n")
            .Write("sys/fs/cgroup/pod/web/cpu.stat", "usage_usec 10000000\nnr_periods 100\nnr_throttled 0\nthrottled_usec 0\n");
        using SystemCpu cpu = root.Open(SystemCpuParts.Cgroup);

        CgroupCpu own = cpu.Cgroup!.Value, limiting = cpu.LimitingCgroup!.Value;
        (own.Version, own.Path, own.Limit, own.Usage).Should().Be((2, "/sys/fs/cgroup/pod/web", 2, TimeSpan.FromSeconds(10)));
        (limiting.Path, limiting.Limit, limiting.Usage).Should().Be(("/sys/fs/cgroup/pod", 1.5, TimeSpan.FromSeconds(20)));
        (limiting.Periods, limiting.ThrottledPeriods, limiting.ThrottledTime).Should().Be((100, 40, TimeSpan.FromSeconds(3)));

        root.Write("sys/fs/cgroup/pod/web/cpu.stat", "usage_usec 10500000\n");
        cpu.Update();

        (cpu.Cgroup!.Value.Share * cpu.Interval.TotalSeconds).Should().BeApproximately(0.5, 1e-3);
        cpu.LimitingCgroup!.Value.Share.Should().Be(0);
    }

    [LinuxFact]
    public void In_v2_without_a_limit_there_is_usage_alone()
    {
        using var root = new CapturedRoot();
        root.Write("proc/self/cgroup", "0::/web\n").Write("proc/self/mountinfo", V2Mount);
        root.Write("sys/fs/cgroup/web/cpu.max", "max 100000\n").Write("sys/fs/cgroup/web/cpu.stat", "usage_usec 1000000\n");
        using SystemCpu cpu = root.Open(SystemCpuParts.Cgroup);

        cpu.Cgroup!.Value.Limit.Should().BeNull();
        cpu.Cgroup.Value.Usage.Should().Be(TimeSpan.FromSeconds(1));
        cpu.Cgroup.Value.Periods.Should().BeNull();
        cpu.LimitingCgroup.Should().BeNull();
        cpu.GetProblem(SystemCpuParts.Cgroup).Should().BeNull();
    }

    [LinuxFact]
    public void In_v1_limit_and_usage_are_of_two_controllers()
    {
        using var root = new CapturedRoot();
        root.Write("proc/self/cgroup", "2:cpuacct:/docker/1\n1:cpu:/docker/1\n0::/\n").Write("proc/self/mountinfo", """
            32 31 0:29 /docker/1 /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu
            33 31 0:30 /docker/1 /sys/fs/cgroup/cpu\040acct rw,relatime - cgroup cgroup rw,cpuacct
            41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw

            """);
        root.Write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "50000\n").Write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n")
            .Write("sys/fs/cgroup/cpu/cpu.stat", "nr_periods 9\nnr_throttled 3\nthrottled_time 1000000000\n")
            .Write("sys/fs/cgroup/cpu acct/cpuacct.usage", "7000000000\n");
        using SystemCpu cpu = root.Open(SystemCpuParts.Cgroup);

        CgroupCpu own = cpu.Cgroup!.Value;
        (own.Version, own.Path, own.Limit, own.Usage).Should().Be((1, "/sys/fs/cgroup/cpu", 0.5, TimeSpan.FromSeconds(7)));
        (own.Periods, own.ThrottledPeriods, own.ThrottledTime).Should().Be((9, 3, TimeSpan.FromSeconds(1)));
        cpu.LimitingCgroup.Should().Be(own);
    }

    [LinuxFact]
    public void A_container_without_cgroup_files_says_so()
    {
        using var root = new CapturedRoot();
        root.Write("proc/self/cgroup", "0::/\n").Write("proc/self/mountinfo", "30 23 0:26 / / rw - overlay overlay rw\n");
        using SystemCpu unmounted = root.Open();
        root.Write("proc/self/mountinfo", V2Mount);
        using SystemCpu empty = root.Open();
        empty.Update();

        unmounted.Cgroup.Should().BeNull();
        unmounted.GetProblem(SystemCpuParts.Cgroup).Should().Be(LinuxReasons.CgroupNotMounted);
        empty.Cgroup.Should().BeNull();
        empty.GetProblem(SystemCpuParts.Cgroup).Should().Be(LinuxReasons.CgroupGone);
    }

    [LinuxFact]
    public void A_process_that_moves_is_followed_to_its_new_group()
    {
        using var root = new CapturedRoot();
        root.Write("proc/self/cgroup", "0::/a\n").Write("proc/self/mountinfo", V2Mount);
        root.Write("sys/fs/cgroup/a/cpu.stat", "usage_usec 1000000\n").Write("sys/fs/cgroup/b/cpu.stat", "usage_usec 2000000\n");
        using SystemCpu cpu = root.Open();

        root.Write("proc/self/cgroup", "0::/b\n");
        cpu.Update();
        cpu.Cgroup!.Value.Path.Should().Be("/sys/fs/cgroup/b");
        cpu.Cgroup.Value.Share.Should().BeNull();

        root.Write("proc/self/cgroup", "0::/gone (deleted)\n");
        cpu.Update();
        cpu.Cgroup.Should().BeNull();
        cpu.GetProblem(SystemCpuParts.Cgroup).Should().Be(LinuxReasons.CgroupGone);

        root.Write("proc/self/cgroup", "0::/a\n");
        cpu.Update();
        cpu.Cgroup!.Value.Path.Should().Be("/sys/fs/cgroup/a");
        cpu.GetProblem(SystemCpuParts.Cgroup).Should().BeNull();
    }

    private static void WriteProcess(CapturedRoot root, int id, string name, params int[] threads)
    {
        root.Write($"proc/{id}/stat", ProcTaskStatTests.Line(name));
        foreach (int thread in threads)
        {
            root.Write($"proc/{id}/task/{thread}/stat", ProcTaskStatTests.Line($"{name}/{thread}"));
        }
    }
}
