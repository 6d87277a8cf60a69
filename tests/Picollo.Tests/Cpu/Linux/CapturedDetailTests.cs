using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using System.Text;
using Picollo.Cpu;
using Picollo.Cpu.Linux;

namespace Picollo.Tests.Cpu.Linux;

/// <summary>Memory, owners, waits and command lines, read from complete directory trees of /proc.</summary>
[UnsupportedOSPlatform("windows")]
public sealed partial class CapturedDetailTests : IDisposable
{
    private const SystemCpuParts Tasks = SystemCpuParts.Processes | SystemCpuParts.Threads;

    private static readonly long Page = Environment.SystemPageSize;

    private readonly CapturedRoot _root = new();

    public CapturedDetailTests() => Write(1, "init", "1000 200 50 5 0 113 0", threads: [1]);

    public void Dispose() => _root.Dispose();

    [FactNeeding(Need.Linux)]
    public void Memory_of_the_machine_and_of_each_process_is_reported()
    {
        _root.Write("proc/meminfo", ProcMemoryTests.MemInfo);
        Write(2, "kthreadd", "0 0 0 0 0 0 0", threads: [2]);
        Write(3, "broken", "1000 200", threads: [3]);
        Write(4, "ended", statm: null, threads: [4]);
        Write(5, "huge", "18446744073709551615 1 0 5 0 1 0", threads: [5]);
        using SystemCpu cpu = _root.Open(SystemCpuParts.Processes | SystemCpuParts.Memory);

        cpu.Memory!.Value.TotalBytes.Should().Be(24_684_112L * 1024);
        cpu.Processes.Select(each => (each.Id, each.VirtualBytes, each.ResidentBytes, each.SharedBytes)).Should().BeEquivalentTo(new (int, long?, long?, long?)[]
        {
            (1, 1000 * Page, 200 * Page, 50 * Page),
            (2, 0, 0, 0),
            (3, null, null, null),
            (4, null, null, null),
            (5, long.MaxValue, Page, 0),
        });
        cpu.GetUnavailableReason(SystemCpuParts.Memory).Should().BeNull();
    }

    [FactNeeding(Need.Linux)]
    public void Without_meminfo_there_is_a_reason_and_sizes_of_processes_are_still_reported()
    {
        using SystemCpu cpu = _root.Open();
        cpu.Memory.Should().BeNull();
        cpu.GetUnavailableReason(SystemCpuParts.Memory).Should().Be(LinuxReasons.NoMemory);
        cpu.Processes.Single().ResidentBytes.Should().Be(200 * Page);

        _root.Write("proc/meminfo", "MemTotal: 100 kB\n");
        cpu.Update();
        cpu.GetUnavailableReason(SystemCpuParts.Memory).Should().Be(LinuxReasons.NoMemory, "it does not contain the free memory");
    }

    [FactNeeding(Need.Linux)]
    public void Parts_that_are_not_requested_are_absent()
    {
        _root.Write("proc/meminfo", ProcMemoryTests.MemInfo).Write("proc/1/schedstat", "1500000000 1 1\n");
        using SystemCpu cpu = _root.Open(Tasks);
        cpu.Update();

        ProcessCpu process = cpu.Processes.Single();
        (process.VirtualBytes, process.ResidentBytes, process.SharedBytes, process.UserId, process.WaitShare).Should().Be((null, null, null, null, null));
        cpu.Threads.Single().WaitShare.Should().BeNull();
        cpu.Memory.Should().BeNull();

        using SystemCpu alone = _root.Open(SystemCpuParts.Owners | SystemCpuParts.Waits | SystemCpuParts.Memory);
        alone.Memory.Should().NotBeNull();
        alone.Processes.Should().BeEmpty();
        alone.GetUnavailableReason(SystemCpuParts.Owners).Should().Contain("SystemCpuParts.Processes");
        alone.GetUnavailableReason(SystemCpuParts.Waits).Should().Contain("SystemCpuParts.Processes");
    }

    [FactNeeding(Need.Linux)]
    public void The_owner_of_a_process_is_the_owner_of_its_directory()
    {
        uint self = GetEffectiveUser();
        uint other = Environment.IsPrivilegedProcess ? 4_000_000_000 : self;
        Write(7, "other", "1 1 1 1 0 1 0", threads: [7]);
        ChangeOwner(Path.Combine(_root.Folder, "proc/7"), other, uint.MaxValue).Should().Be(0);
        using SystemCpu cpu = _root.Open(SystemCpuParts.Processes | SystemCpuParts.Owners);

        cpu.Processes.Select(each => (each.Id, each.UserId)).Should().BeEquivalentTo(new (int, uint?)[] { (1, self), (7, other) });
        cpu.GetUnavailableReason(SystemCpuParts.Owners).Should().BeNull();
    }

    [TheoryNeeding(Need.Linux)]
    [InlineData(SystemCpuParts.Processes)]
    [InlineData(SystemCpuParts.Threads)]
    [InlineData(Tasks)]
    public void Waits_are_reported_for_the_requested_processes_or_threads(SystemCpuParts tasks)
    {
        Write(7, "many", "1 1 1 1 0 1 0", threads: [7, 8]);
        SchedStat(1, 1, wait: 1_000_000_000, runs: 5);
        SchedStat(7, 7, wait: 2_000_000_000, runs: 5);
        SchedStat(7, 8, wait: 3_000_000_000, runs: 5);
        using SystemCpu cpu = _root.Open(tasks | SystemCpuParts.Waits);
        SchedStat(1, 1, wait: 1_000_000_100, runs: 6);
        SchedStat(7, 7, wait: 2_000_000_200, runs: 6);
        SchedStat(7, 8, wait: 3_000_000_300, runs: 6);

        cpu.Update();

        double nanoseconds = cpu.Interval.TotalNanoseconds;
        (long, double?)[] Waits(IEnumerable<(long Id, double? Wait)> shares) => [.. shares.Select(each => (each.Id, Rounded(each.Wait * nanoseconds)))];
        (long, double?)[] none = [], processes = [(1, 100), (7, 500)], threads = [(1, 100), (7, 200), (8, 300)];
        Waits(cpu.Processes.Select(each => ((long)each.Id, each.WaitShare))).Should().BeEquivalentTo((tasks & SystemCpuParts.Processes) == 0 ? none : processes);
        Waits(cpu.Threads.Select(each => (each.Id, each.WaitShare))).Should().BeEquivalentTo((tasks & SystemCpuParts.Threads) == 0 ? none : threads);
        cpu.GetUnavailableReason(SystemCpuParts.Waits).Should().BeNull();

        // The interval is in whole ticks of 100 ns.
        static double? Rounded(double? value) => value is { } known ? Math.Round(known) : null;
    }

    [TheoryNeeding(Need.Linux)]
    [InlineData("0 0 0\n")] // without delayacct
    [InlineData(null)] // without CONFIG_SCHED_INFO
    public void A_kernel_without_scheduler_statistics_gives_a_reason(string? schedStat)
    {
        if (schedStat is not null)
        {
            _root.Write("proc/1/schedstat", schedStat).Write("proc/1/task/1/schedstat", schedStat);
        }

        foreach (SystemCpuParts tasks in new[] { SystemCpuParts.Processes, SystemCpuParts.Threads, Tasks })
        {
            using SystemCpu cpu = _root.Open(tasks | SystemCpuParts.Waits);
            cpu.Update();

            cpu.GetUnavailableReason(SystemCpuParts.Waits).Should().Be(LinuxReasons.NoWaits);
            cpu.GetUnavailableReason(SystemCpuParts.Processes).Should().Be((tasks & SystemCpuParts.Processes) == 0 ? cpu.GetUnavailableReason(SystemCpuParts.Processes) : null);
            cpu.Processes.Should().NotContain(each => each.WaitShare != null);
            cpu.Threads.Should().NotContain(each => each.WaitShare != null);
        }
    }

    [TheoryNeeding(Need.Linux)]
    [InlineData("1\n", true)]
    [InlineData("0\n", false)]
    [InlineData(null, false)] // without CONFIG_SCHED_AUTOGROUP
    public void HasAutogroups_is_the_setting_of_the_kernel(string? text, bool isOn)
    {
        if (text is not null)
        {
            _root.Write("proc/sys/kernel/sched_autogroup_enabled", text);
        }

        using SystemCpu cpu = _root.Open(SystemCpuParts.Processes), machine = _root.Open(SystemCpuParts.Machine);
        cpu.HasAutogroups.Should().Be(isOn);
        machine.HasAutogroups.Should().BeNull();
    }

    [FactNeeding(Need.Linux)]
    public void Command_lines_are_read_at_the_time_of_the_call()
    {
        string[] many = [.. Enumerable.Range(0, 4_000).Select(i => $"argument {i}")];
        _root.Write("proc/1/cmdline", "/sbin/init\0").Write("proc/2/cmdline", "").Write("proc/7/cmdline", string.Concat(many.Select(word => word + '\0')));
        _root.Write("proc/3/cmdline", new string('x', 65_536)).Write("proc/4/cmdline", new string('y', 1 << 20));
        using SystemCpu cpu = _root.Open(SystemCpuParts.None);

        cpu.GetCommandLine(1).Should().Equal("/sbin/init");
        cpu.GetCommandLine(2).Should().NotBeNull().And.BeEmpty("it is a kernel thread");
        cpu.GetCommandLine(7).Should().Equal(many);
        cpu.GetCommandLine(3).Should().Equal(new string('x', 65_536));
        cpu.GetCommandLine(4).Should().Equal([new string('y', 65_536)], "at most 64 KiB are read");
        foreach (int id in new[] { 8, 0, -1, int.MaxValue, int.MinValue })
        {
            cpu.GetCommandLine(id).Should().BeNull();
        }

        cpu.Dispose();
        cpu.Invoking(each => each.GetCommandLine(1)).Should().Throw<ObjectDisposedException>();
    }

    /// <summary>The process ends after its stat was read. Its stat is a pipe, which is filled only after its folder is removed.</summary>
    [FactNeeding(Need.Linux)]
    public void A_process_that_ends_before_its_owner_is_read_is_listed_without_an_owner()
    {
        string folder = Path.Combine(_root.Folder, "proc/7"), stat = Path.Combine(folder, "stat");
        Directory.CreateDirectory(folder);
        MakePipe(stat, 0x180).Should().Be(0);
        Thread ending = new(() =>
        {
            using FileStream pipe = new(stat, FileMode.Open, FileAccess.Write, FileShare.ReadWrite, bufferSize: 0); // waits for the reader
            Directory.Move(folder, Path.Combine(_root.Folder, "ended"));
            pipe.Write(Encoding.UTF8.GetBytes(ProcTaskStatTests.Line("ended")));
        });
        ending.Start();

        using SystemCpu cpu = _root.Open(SystemCpuParts.Processes | SystemCpuParts.Owners);
        ending.Join();

        cpu.Processes.Should().Contain(process => process.Id == 7 && process.UserId == null);
        cpu.GetUnavailableReason(SystemCpuParts.Owners).Should().BeNull();
    }

    private void Write(int id, string name, string? statm, int[] threads)
    {
        string line = ProcTaskStatTests.Line(name).Replace(" 5 4 0 ", $" 5 {threads.Length} 0 ", StringComparison.Ordinal);
        _root.Write($"proc/{id}/stat", line);
        if (statm is not null)
        {
            _root.Write($"proc/{id}/statm", statm + '\n');
        }

        foreach (int thread in threads)
        {
            _root.Write($"proc/{id}/task/{thread}/stat", line);
        }
    }

    // The schedstat of a process is that of its main thread.
    private void SchedStat(int id, int thread, long wait, long runs)
    {
        string text = $"1500000000 {wait} {runs}\n";
        _root.Write($"proc/{id}/task/{thread}/schedstat", text);
        if (thread == id)
        {
            _root.Write($"proc/{id}/schedstat", text);
        }
    }

    [LibraryImport("libc", EntryPoint = "geteuid")]
    private static partial uint GetEffectiveUser();

    [LibraryImport("libc", EntryPoint = "chown", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int ChangeOwner(string path, uint user, uint group);

    [LibraryImport("libc", EntryPoint = "mkfifo", StringMarshalling = StringMarshalling.Utf8)]
    private static partial int MakePipe(string path, uint mode);
}
