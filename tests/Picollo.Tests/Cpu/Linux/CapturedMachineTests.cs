using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Picollo.Cpu;
using Picollo.Cpu.Linux;

namespace Picollo.Tests.Cpu.Linux;

/// <summary>Reads complete directory trees of /proc and /sys, as they are on machines and in containers, with the usual system calls.</summary>
public partial class CapturedMachineTests
{
    private const string V2Mount = "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";

    [FactNeeding(Need.Linux)]
    public void Shares_are_computed_from_two_samples_of_files()
    {
        using var root = new CapturedRoot();
        root.Write("proc/loadavg", "0.65 0.33 0.20 2/249 3797\n");
        using SystemCpu cpu = root.Open();
        (cpu.RunnableThreadCount, cpu.BlockedThreadCount, cpu.TotalThreadCount)
            .Should().Be((3, 1, 249), "they are read with the states, not from loadavg");
        root.Write("proc/stat", """
            cpu  1050 250 300 4100 50 0 10 5 0 0
            cpu0 550 100 150 2050 25 0 5 3 0 0

            """);
        root.Write("proc/loadavg", "0.75 0.34 0.20 2/251 3799\n");

        cpu.Update();

        cpu.Total.ToString().Should().Be("25.0 us,  0.0 sy, 25.0 ni, 50.0 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st");
        cpu.Cpus.Should().ContainSingle("CPU 1 has gone offline").Which.User.Should().Be(0.5);
        (cpu.LoadAverage1Minute, cpu.LoadAverage5Minutes, cpu.LoadAverage15Minutes).Should().Be((0.75, 0.34, 0.2));
        (cpu.RunnableThreadCount, cpu.BlockedThreadCount, cpu.TotalThreadCount).Should().Be((2, null, 251), "the second file has no number of blocked threads");
        cpu.Interval.Should().BePositive();
    }

    [FactNeeding(Need.Linux)]
    public void Pressure_is_absent_if_the_kernel_stops_reporting_it()
    {
        const string some = "some avg10=1.00 avg60=0.00 avg300=0.00 total=5\n", full = "full avg10=2.00 avg60=0.00 avg300=0.00 total=6\n";
        using var root = new CapturedRoot();
        root.Write("proc/stat", "cpu  1 2 3 4 5 6 7 8 0 0\n").Write("proc/pressure/cpu", some + full);
        using SystemCpu cpu = root.Open();
        cpu.Pressure!.Value.Average10Seconds.Should().Be(0.01);

        root.Write("proc/pressure/cpu", some);
        cpu.Update();
        cpu.Pressure!.Value.Total.Should().Be(TimeSpan.FromMicroseconds(5));
        cpu.GetUnavailableReason(SystemCpuParts.Pressure).Should().BeNull();

        root.Write("proc/pressure/cpu", full);
        cpu.Update();
        cpu.Pressure.Should().BeNull("the full pressure is not shown");
        cpu.GetUnavailableReason(SystemCpuParts.Pressure).Should().Be(LinuxReasons.NoPressure);
    }

    [FactNeeding(Need.Linux)]
    public void A_file_larger_than_the_buffer_is_read_completely()
    {
        using var root = new CapturedRoot();
        root.Write("proc/stat", "cpu  1 2 3 4 5 6 7 8 0 0\n"
            + string.Concat(Enumerable.Range(0, 2_000).Select(i => $"cpu{i} 100{i} 200 300 4000 50 0 10 5 0 0\n")) + "procs_running 77\n");

        using SystemCpu cpu = root.Open();

        cpu.Cpus.Select(each => each.Cpu).Should().Equal(Enumerable.Range(0, 2_000).Select(i => (int?)i));
        cpu.RunnableThreadCount.Should().Be(77);
    }

    [FactNeeding(Need.Linux)]
    public void A_bare_machine_has_a_reason_for_each_part_that_is_absent()
    {
        using var root = new CapturedRoot();
        root.Write("proc/stat", "cpu  1 2 3 4 5 6 7 8 0 0\n");
        using SystemCpu cpu = root.Open();

        cpu.Update();

        (cpu.LoadAverage1Minute, cpu.LoadAverage5Minutes, cpu.LoadAverage15Minutes).Should().Be((null, null, null));
        (cpu.RunnableThreadCount, cpu.BlockedThreadCount, cpu.TotalThreadCount).Should().Be((null, null, null));
        cpu.Pressure.Should().BeNull();
        cpu.Cgroup.Should().BeNull();
        cpu.LimitingCgroup.Should().BeNull();
        cpu.Processes.Should().BeEmpty();
        cpu.GetUnavailableReason(SystemCpuParts.States).Should().BeNull();
        cpu.GetUnavailableReason(SystemCpuParts.LoadAverage).Should().Be(LinuxReasons.NoLoadAverage);
        cpu.GetUnavailableReason(SystemCpuParts.RunQueue).Should().Be(LinuxReasons.NoRunQueue);
        cpu.GetUnavailableReason(SystemCpuParts.Pressure).Should().Be(LinuxReasons.NoPressure);
        cpu.GetUnavailableReason(SystemCpuParts.Cgroup).Should().Be(LinuxReasons.NotInCgroup);
        cpu.GetUnavailableReason(SystemCpuParts.Processes).Should().Be(LinuxReasons.Hidden, "there is no process 1");
        cpu.GetUnavailableReason(SystemCpuParts.Threads).Should().Be(LinuxReasons.Hidden);
        cpu.GetUnavailableReason(SystemCpuParts.Memory).Should().Be(LinuxReasons.NoMemory);
        cpu.GetUnavailableReason(SystemCpuParts.Owners).Should().Be(LinuxReasons.Hidden);
        cpu.GetUnavailableReason(SystemCpuParts.Waits).Should().Be(LinuxReasons.Hidden);
    }

    [FactNeeding(Need.Linux)]
    public void An_update_does_not_throw_if_proc_disappears()
    {
        using var root = new CapturedRoot();
        using SystemCpu cpu = root.Open();
        Directory.Delete(Path.Combine(root.Folder, "proc"), recursive: true);

        cpu.Update();

        cpu.Total.HasShares.Should().BeFalse();
        cpu.GetUnavailableReason(SystemCpuParts.States).Should().Be(LinuxReasons.NoStates);
        cpu.GetUnavailableReason(SystemCpuParts.Processes).Should().Be(LinuxReasons.NoProc);
        root.Write("proc/stat", CapturedRoot.TwoCpus);
        cpu.Update();
        cpu.GetUnavailableReason(SystemCpuParts.States).Should().BeNull();
    }

    [FactNeeding(Need.Linux)]
    public void Processes_and_threads_are_read_from_their_files()
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
        cpu.GetUnavailableReason(SystemCpuParts.Processes).Should().BeNull();
    }

    [FactNeeding(Need.Linux)]
    public void Ids_that_end_between_listing_and_reading_are_not_in_the_list()
    {
        using var root = new CapturedRoot();
        WriteProcess(root, 1, "init");
        Directory.CreateDirectory(Path.Combine(root.Folder, "proc/77")); // listed, but now empty
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
        cpu.GetUnavailableReason(SystemCpuParts.Processes).Should().BeNull();
    }

    [FactNeeding(Need.Linux)]
    public void A_threads_share_uses_nanoseconds_if_the_kernel_reports_them()
    {
        using var root = new CapturedRoot();
        WriteProcess(root, 1, "init");
        WriteProcess(root, 7, "worker", threads: [7, 8, 9]);
        root.Write("proc/7/task/7/schedstat", "1500000000 1 1\n"); // 1.5 s, equal to the ticks
        root.Write("proc/7/task/8/schedstat", "0 0 0\n"); // a kernel without these statistics
        using SystemCpu cpu = root.Open(SystemCpuParts.Threads);

        root.Write("proc/7/task/7/schedstat", "1500000500 1 1\n");
        root.Write("proc/7/task/8/stat", ProcTaskStatTests.Line("busy").Replace(" 130 20 ", " 133 21 ", StringComparison.Ordinal));
        cpu.Update();

        double seconds = cpu.Interval.TotalSeconds;
        double? Share(long id) => cpu.Threads.Single(each => each.Id == id).Share;
        (Share(7) * seconds).Should().BeApproximately(500e-9, 1e-9 + (500e-9 * 100e-9 / seconds));
        (Share(8) * seconds).Should().BeApproximately(0.040, 1e-3, "it used four ticks");
        Share(9).Should().Be(0);
        cpu.Processes.Should().BeEmpty();
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void Listings_may_be_longer_than_one_read()
    {
        int[] ids = [.. Enumerable.Range(1, 1_500)];
        using var root = new CapturedRoot();
        WriteProcess(root, 1, "init", ids);
        Array.ForEach(ids[1..], id => WriteProcess(root, id, "other"));
        using SystemCpu cpu = root.Open();

        // In order, because BeEquivalentTo searches all others for each ID.
        cpu.Processes.Select(each => each.Id).Order().Should().Equal(ids);
        cpu.Threads.Where(each => each.ProcessId == 1).Select(each => each.Id).Order().Should().Equal(ids.Select(id => (long)id));
    }

    [FactNeeding(Need.Linux)]
    public void The_only_thread_of_a_process_excludes_the_time_of_ended_threads()
    {
        using var root = new CapturedRoot();
        string line = ProcTaskStatTests.Line("init").Replace(" 5 4 0 ", " 5 1 0 ", StringComparison.Ordinal);
        root.Write("proc/1/stat", line);
        root.Write("proc/1/task/1/stat", line.Replace(" 130 20 ", " 30 10 ", StringComparison.Ordinal));
        using SystemCpu cpu = root.Open();

        cpu.Processes.Single().Usage.Total.Should().Be(TimeSpan.FromSeconds(1.5));
        cpu.Threads.Single().Usage.Total.Should().Be(TimeSpan.FromSeconds(0.4));
    }

    [FactNeeding(Need.Linux)]
    public void Ids_of_another_namespace_are_not_used_for_clocks()
    {
        string Line(int ticks) => ProcTaskStatTests.Line("like this one").Replace(" 130 20 ", $" {ticks} 0 ", StringComparison.Ordinal);
        using var root = new CapturedRoot();
        WriteProcess(root, 1, "init");
        root.Write("proc/self/stat", $"{Environment.ProcessId + 1} (self) R");
        root.Write($"proc/{Environment.ProcessId}/stat", Line(0));
        using SystemCpu cpu = root.Open();

        root.Write($"proc/{Environment.ProcessId}/stat", Line(2));
        cpu.Update();

        double? share = cpu.Processes.Single(each => each.Id == Environment.ProcessId).Share;
        (share * cpu.Interval.TotalSeconds).Should().BeApproximately(0.02, 1e-4, "this file has two ticks");
    }

    [FactNeeding(Need.Linux)]
    [UnsupportedOSPlatform("windows")]
    public void Unreadable_files_are_reported_as_hidden()
    {
        using var root = new CapturedRoot();
        WriteProcess(root, 1, "init");
        WriteProcess(root, 77, "secret");
        WriteProcess(root, 78, "half", threads: [78, 79]);
        const UnixFileMode OwnerAlone = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute;
        const UnixFileMode Everybody = OwnerAlone | UnixFileMode.GroupRead | UnixFileMode.GroupExecute | UnixFileMode.OtherRead | UnixFileMode.OtherExecute;
        File.SetUnixFileMode(root.Folder, Everybody);
        string secret = Path.Combine(root.Folder, "proc/77"), tasks = Path.Combine(root.Folder, "proc/78/task"), half = Path.Combine(tasks, "79/stat");
        string waits = Path.Combine(tasks, "78/schedstat");
        root.Write("proc/78/task/78/schedstat", "1 2 3\n").Write("proc/78/task/79/schedstat", "1 2 3\n");

        (int Processes, string? Problem) Sample() => SampleWith(SystemCpuParts.Threads, SystemCpuParts.Processes);
        (int Processes, string? Problem) SampleWith(SystemCpuParts parts, SystemCpuParts problem)
        {
            using SystemCpu cpu = root.Open(SystemCpuParts.Processes | parts);
            return (cpu.Processes.Count, cpu.GetUnavailableReason(problem));
        }

        AsUnprivilegedUser(Sample).Should().Be((3, null));
        File.SetUnixFileMode(half, UnixFileMode.None);
        AsUnprivilegedUser(Sample).Should().Be((3, LinuxReasons.Hidden), "a thread is hidden");
        File.SetUnixFileMode(half, Everybody);
        File.SetUnixFileMode(tasks, UnixFileMode.None);
        AsUnprivilegedUser(Sample).Should().Be((3, LinuxReasons.Hidden), "all threads of a process are hidden");
        File.SetUnixFileMode(tasks, Everybody);
        AsUnprivilegedUser(() => SampleWith(SystemCpuParts.Waits, SystemCpuParts.Waits)).Should().Be((3, null));
        File.SetUnixFileMode(waits, UnixFileMode.None);
        AsUnprivilegedUser(() => SampleWith(SystemCpuParts.Waits, SystemCpuParts.Waits)).Should().Be((3, LinuxReasons.Hidden), "the wait of a thread is hidden");
        File.SetUnixFileMode(secret, UnixFileMode.None);
        AsUnprivilegedUser(Sample).Should().Be((2, LinuxReasons.Hidden), "a process is hidden");
        File.SetUnixFileMode(secret, OwnerAlone);
    }

    [FactNeeding(Need.Linux)]
    public void In_v2_the_smallest_limit_of_the_ancestors_applies()
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
        (limiting.PeriodCount, limiting.ThrottledPeriodCount, limiting.ThrottledTime).Should().Be((100, 40, TimeSpan.FromSeconds(3)));

        root.Write("sys/fs/cgroup/pod/web/cpu.stat", "usage_usec 10500000\n");
        cpu.Update();

        (cpu.Cgroup!.Value.Share * cpu.Interval.TotalSeconds).Should().BeApproximately(0.5, 1e-3);
        cpu.LimitingCgroup!.Value.Share.Should().Be(0);
    }

    [FactNeeding(Need.Linux)]
    public void In_v1_limit_and_usage_come_from_two_controllers()
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
        (own.PeriodCount, own.ThrottledPeriodCount, own.ThrottledTime).Should().Be((9, 3, TimeSpan.FromSeconds(1)));
        cpu.LimitingCgroup.Should().Be(own);
    }

    [FactNeeding(Need.Linux)]
    public void In_v1_the_usage_of_visible_ancestors_is_found()
    {
        using var root = new CapturedRoot();
        root.Write("proc/self/cgroup", "2:cpuacct:/pod/web\n1:cpu:/pod/web\n").Write("proc/self/mountinfo", """
            32 31 0:29 / /cpu rw,relatime - cgroup cgroup rw,cpu
            33 31 0:30 /pod /acct rw,relatime - cgroup cgroup rw,cpuacct

            """);
        root.Write("cpu/pod/cpu.cfs_quota_us", "50000\n").Write("cpu/pod/cpu.cfs_period_us", "100000\n");
        root.Write("acct/cpuacct.usage", "7000000000\n").Write("acct/web/cpuacct.usage", "3000000000\n");
        using SystemCpu cpu = root.Open(SystemCpuParts.Cgroup);

        (cpu.Cgroup!.Value.Path, cpu.Cgroup.Value.Usage).Should().Be(("/cpu/pod/web", TimeSpan.FromSeconds(3)));
        (cpu.LimitingCgroup!.Value.Path, cpu.LimitingCgroup.Value.Usage).Should().Be(("/cpu/pod", TimeSpan.FromSeconds(7)));
    }

    [FactNeeding(Need.Linux)]
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
        cpu.GetUnavailableReason(SystemCpuParts.Cgroup).Should().Be(LinuxReasons.CgroupGone);

        root.Write("proc/self/cgroup", "0::/a\n");
        cpu.Update();
        cpu.Cgroup!.Value.Path.Should().Be("/sys/fs/cgroup/a");
        cpu.GetUnavailableReason(SystemCpuParts.Cgroup).Should().BeNull();

        root.Delete("sys/fs/cgroup/a/cpu.stat");
        cpu.Update();
        cpu.GetUnavailableReason(SystemCpuParts.Cgroup).Should().Be(LinuxReasons.CgroupGone);

        root.Write("sys/fs/cgroup/a/cpu.stat", "usage_usec 2\n");
        cpu.Update();
        cpu.Cgroup.Should().NotBeNull("files that reappear are found again");
    }

    /// <summary>Opens files with the rights of a user that owns nothing, because root may read any file. Runs on a separate thread, because
    /// setfsuid(2) applies to one thread. For users other than root it changes nothing.</summary>
    private static T AsUnprivilegedUser<T>(Func<T> action) => NewThread.Run(() =>
    {
        _ = SetFileUser(65534);
        return action();
    });

    [LibraryImport("libc", EntryPoint = "setfsuid")]
    private static partial int SetFileUser(uint user);

    private static void WriteProcess(CapturedRoot root, int id, string name, params int[] threads)
    {
        root.Write($"proc/{id}/stat", ProcTaskStatTests.Line(name));
        foreach (int thread in threads)
        {
            root.Write($"proc/{id}/task/{thread}/stat", ProcTaskStatTests.Line($"{name}/{thread}"));
        }
    }
}
