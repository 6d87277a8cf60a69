using System.Diagnostics;
using System.Runtime.InteropServices;
using Picollo.Cpu;
using Picollo.Cpu.Linux;

namespace Picollo.Tests.Cpu.Linux;

/// <summary>Real processes and threads of this machine, which change while they are sampled.</summary>
[Collection(Alone.Name)]
[Trait("Category", "Slow")]
public sealed partial class LiveProcessTests : IDisposable
{
    private const int Stop = 19, Continue = 18;
    private const int SetName = 15; // PR_SET_NAME of <linux/prctl.h>

    private readonly List<Process> _children = [];

    public void Dispose()
    {
        foreach (Process child in _children)
        {
            child.Kill();
            child.WaitForExit();
            child.Dispose();
        }
    }

    [FactNeeding(Need.Linux)]
    public void This_process_is_listed_with_its_threads()
    {
        using var cpu = new SystemCpu(SystemCpuParts.All);

        ProcessCpu self = cpu.Processes.Single(each => each.Id == Environment.ProcessId);
        self.ThreadCount.Should().BePositive();
        self.Usage.Total.Should().BePositive();
        self.LastCpu.Should().BeInRange(0, 10_000);
        cpu.Threads.Should().Contain(each => each.ProcessId == self.Id && each.Id == self.Id);
        cpu.Threads.Count(each => each.ProcessId == self.Id).Should().BeGreaterThan(2);
        cpu.Counters()[CpuState.User].Should().BePositive();
        cpu.Cpus.Should().NotBeEmpty();
        cpu.TotalThreadCount.Should().BeGreaterThan(2);
    }

    [FactNeeding(Need.Linux)]
    public void Shares_equal_the_CPU_time_used()
    {
        long burner = 0;
        using var begun = new ManualResetEventSlim();
        using var over = new CancellationTokenSource();
        var thread = new Thread(() =>
        {
            burner = CpuUsageReader.GetThreadId();
            begun.Set();
            while (!over.IsCancellationRequested)
            {
                Burn.User(TimeSpan.FromMilliseconds(1));
            }
        });
        thread.Start();
        begun.Wait();

        // Its time is read before and after each sample, so that its time between the samples is known within bounds.
        long beforeFirst = CpuUsageReader.GetThreadTimeNanoseconds(burner);
        using var cpu = new SystemCpu(SystemCpuParts.Processes | SystemCpuParts.Threads);
        long afterFirst = CpuUsageReader.GetThreadTimeNanoseconds(burner);
        Thread.Sleep(200);
        long beforeSecond = CpuUsageReader.GetThreadTimeNanoseconds(burner);
        cpu.Update();
        long afterSecond = CpuUsageReader.GetThreadTimeNanoseconds(burner);
        over.Cancel();
        thread.Join();

        // The time since the last scheduler tick, at most 10 ms, is not counted yet, in either sample.
        const double Tick = 10_000_000;
        double taken = cpu.Threads.Single(each => each.Id == burner).Share!.Value * cpu.Interval.TotalNanoseconds;
        taken.Should().BeInRange(beforeSecond - afterFirst - Tick, afterSecond - beforeFirst + Tick);
        double takenByAll = cpu.Processes.Single(each => each.Id == Environment.ProcessId).Share!.Value * cpu.Interval.TotalNanoseconds;
        takenByAll.Should().BeGreaterThan(beforeSecond - afterFirst - Tick);
    }

    [FactNeeding(Need.Linux)]
    public void The_niceness_and_the_stopped_state_of_a_child_are_reported()
    {
        Process child = Start("nice", "-n", "7", "sleep", "60");
        using var cpu = new SystemCpu(SystemCpuParts.Processes | SystemCpuParts.Threads);
        ProcessCpu nice = Eventually(cpu, child.Id, each => each.Name == "sleep" && each.State == 'S');
        int expected = Math.Min(cpu.Processes.Single(each => each.Id == Environment.ProcessId).Nice!.Value + 7, 19);
        (nice.Nice, nice.Priority, nice.ThreadCount).Should().Be((expected, expected + 20, 1));
        cpu.Threads.Single(each => each.Id == child.Id).Nice.Should().Be(expected);

        Kill(child.Id, Stop).Should().Be(0);
        Eventually(cpu, child.Id, each => each.State == 'T');
        Kill(child.Id, Continue).Should().Be(0);
        Eventually(cpu, child.Id, each => each.State == 'S');
    }

    [FactNeeding(Need.Linux)]
    public void A_child_that_ended_and_was_not_waited_for_is_a_zombie()
    {
        // The child ends after the shell has become a sleep, which does not wait for children.
        Process child = Start("sh", "-c", "(while read name </proc/$$/comm && [ $name != sleep ]; do :; done; exec sleep 0) & echo $!; exec sleep 60");
        int zombie = int.Parse(child.StandardOutput.ReadLine()!, System.Globalization.CultureInfo.InvariantCulture);
        using var cpu = new SystemCpu(SystemCpuParts.Processes | SystemCpuParts.Threads);

        Eventually(cpu, zombie, each => each.State == 'Z').Name.Should().Be("sleep");

        cpu.Update();
        cpu.Processes.Single(each => each.Id == zombie).Share.Should().Be(0);
    }

    [FactNeeding(Need.Linux)]
    public void A_program_may_have_any_name()
    {
        string folder = Directory.CreateTempSubdirectory("picollo").FullName;
        string program = Path.Combine(folder, "a) R 1 (b\n√");
        try
        {
            File.Copy("/bin/sleep", program);
            Process child = Start(program, "60");
            using var cpu = new SystemCpu(SystemCpuParts.Processes);

            Eventually(cpu, child.Id, each => each.Name == "a) R 1 (b\n√").Nice.Should().NotBeNull();
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    [FactNeeding(Need.Linux)]
    public unsafe void A_thread_that_renames_itself_is_the_same_thread()
    {
        using var begun = new ManualResetEventSlim();
        using var renamed = new ManualResetEventSlim();
        using var rename = new ManualResetEventSlim();
        using var over = new ManualResetEventSlim();
        long id = 0;
        var thread = new Thread(() =>
        {
            id = CpuUsageReader.GetThreadId();
            begun.Set();
            rename.Wait();
            byte[] name = [.. "odd "u8, 0xFF, (byte)')', 0]; // not UTF-8
            fixed (byte* pointer = name)
            {
                _ = SetProcessOption(SetName, pointer);
            }

            renamed.Set();
            over.Wait();
        });
        thread.Start();
        begun.Wait();
        using var cpu = new SystemCpu(SystemCpuParts.Threads);
        rename.Set();
        renamed.Wait();

        cpu.Update();
        over.Set();
        thread.Join();

        ThreadCpu odd = cpu.Threads.Single(each => each.Id == id);
        odd.Name.Should().Be("odd \uFFFD)");
        odd.Share.Should().NotBeNull();

        // Join returns slightly before the thread of the system has ended.
        SpinWait.SpinUntil(
            () =>
            {
                cpu.Update();
                return cpu.Threads.All(each => each.Id != id);
            },
            TimeSpan.FromSeconds(30)).Should().BeTrue("it has ended");
    }

    [FactNeeding(Need.Linux)]
    public void A_process_that_started_after_the_previous_sample_has_a_share()
    {
        using var cpu = new SystemCpu(SystemCpuParts.Processes);
        Process child = Start("sh", "-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; echo done; exec sleep 60");
        child.StandardOutput.ReadLine();

        cpu.Update();

        cpu.Processes.Single(each => each.Id == child.Id).Share.Should().BePositive();
    }

    [FactNeeding(Need.Linux)]
    public void Sampling_hundreds_of_threads_does_not_allocate_in_steady_state()
    {
        using var over = new ManualResetEventSlim();
        Thread[] threads = [.. Enumerable.Range(0, 300).Select(_ => new Thread(() => over.Wait(), maxStackSize: 128 * 1024))];
        Array.ForEach(threads, thread => thread.Start());
        try
        {
            using var cpu = new SystemCpu(SystemCpuParts.All);
            cpu.Update();

            Enumerable.Range(0, 20).Any(_ => Allocated(10, cpu.Update) == 0).Should().BeTrue("in at least one round, no other code allocates");

            cpu.Threads.Count(each => each.ProcessId == Environment.ProcessId).Should().BeGreaterThan(300);
        }
        finally
        {
            over.Set();
            Array.ForEach(threads, thread => thread.Join());
        }
    }

    [FactNeeding(Need.Linux)]
    public void Processes_may_start_and_end_during_a_sample()
    {
        const int Rounds = 40;
        var churn = new Thread(() =>
        {
            for (int i = 0; i < Rounds; i++)
            {
                using var child = Process.Start(new ProcessStartInfo("sh", ["-c", "for i in 1 2 3 4 5 6 7 8; do true & done; wait"]))!;
                child.WaitForExit();
                var thread = new Thread(() => { });
                thread.Start();
                thread.Join();
            }
        });
        using var cpu = new SystemCpu(SystemCpuParts.All);
        churn.Start();
        while (churn.IsAlive)
        {
            cpu.Update();
            cpu.Processes.Any(each => each.Id == Environment.ProcessId).Should().BeTrue();
            cpu.Processes.Any(each => each.Share < 0 || each.Name == null).Should().BeFalse();
            cpu.Threads.Any(each => each.Share < 0 || each.Name == null).Should().BeFalse();
        }
    }

    [FactNeeding(Need.Linux)]
    public void Sampling_closes_all_files()
    {
        using var cpu = new SystemCpu(SystemCpuParts.All);
        var tasks = new LinuxTasks("/proc");
        var sample = new SystemCpuSample();
        int before = OpenFiles();

        for (int i = 0; i < 50; i++)
        {
            cpu.Update();
            tasks.ReadThreadsOf(Environment.ProcessId, sample);
        }

        OpenFiles().Should().BeLessThan(before + 25, "processes of other tests start and end, but not one with each sample");

        static int OpenFiles() => Directory.GetFileSystemEntries("/proc/self/fd").Length; // directories count too
    }

    [FactNeeding(Need.Linux)]
    public void A_lack_of_file_descriptors_is_reported()
    {
        using var cpu = new SystemCpu(SystemCpuParts.All);
        cpu.Update();
        MeasurementUnavailableException? none = null;
        WithFreeDescriptors(0, () =>
        {
            cpu.Update();
            CpuUsageReader.TryGetByProcess(1, out _, out none);
        });

        foreach (SystemCpuParts part in new[] { SystemCpuParts.States, SystemCpuParts.LoadAverage, SystemCpuParts.RunQueue, SystemCpuParts.Cgroup, SystemCpuParts.Pressure, SystemCpuParts.Processes, SystemCpuParts.Threads, SystemCpuParts.Memory, SystemCpuParts.Owners, SystemCpuParts.Waits })
        {
            cpu.GetUnavailableReason(part).Should().Be(LinuxReasons.NoDescriptors, part.ToString());
        }

        none!.Message.Should().Contain(LinuxReasons.NoDescriptors);

        WithFreeDescriptors(1, cpu.Update);
        cpu.Processes.Should().BeEmpty("the only descriptor is used for the directory");
        cpu.GetUnavailableReason(SystemCpuParts.Processes).Should().Be(LinuxReasons.NoDescriptors);
        cpu.GetUnavailableReason(SystemCpuParts.States).Should().BeNull();

        WithFreeDescriptors(2, cpu.Update);
        cpu.Processes.Should().NotBeEmpty();
        cpu.Threads.Should().NotContain(each => each.ProcessId == Environment.ProcessId, "their files need a third descriptor");
        cpu.GetUnavailableReason(SystemCpuParts.Threads).Should().Be(LinuxReasons.NoDescriptors);

        cpu.Update();
        cpu.GetUnavailableReason(SystemCpuParts.Threads).Should().BeNull();
    }

    /// <summary>Lowers the limit of file descriptors so that only a given number is free during the action.</summary>
    private static void WithFreeDescriptors(int count, Action action)
    {
        const int OpenFiles = 7; // RLIMIT_NOFILE of <asm-generic/resource.h>
        GetLimit(OpenFiles, out Limit limit).Should().Be(0);
        int[] free = [.. Enumerable.Range(0, count + 1).Select(_ => Duplicate(0))]; // the lowest ones first, regardless of other open files
        Array.ForEach(free, file => _ = Close(file));
        Limit lowered = limit with { Current = (ulong)free[count] };
        try
        {
            SetLimit(OpenFiles, lowered).Should().Be(0);
            action();
        }
        finally
        {
            _ = SetLimit(OpenFiles, limit);
        }
    }

    /// <summary>Returns the bytes allocated by a number of calls.</summary>
    private static long Allocated(int calls, Action action)
    {
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < calls; i++)
        {
            action();
        }

        return GC.GetAllocatedBytesForCurrentThread() - before;
    }

    private static ProcessCpu Eventually(SystemCpu cpu, int id, Func<ProcessCpu, bool> condition)
    {
        var watch = Stopwatch.StartNew();
        ProcessCpu[] found;
        do
        {
            cpu.Update();
            found = [.. cpu.Processes.Where(each => each.Id == id)];
            if (found is [var process] && condition(process))
            {
                return process;
            }

            Thread.Sleep(5);
        }
        while (watch.Elapsed < TimeSpan.FromSeconds(30));
        throw new TimeoutException($"Process {id} did not reach the expected state in 30 s: {string.Join(' ', found)}");
    }

    private Process Start(string program, params string[] arguments)
    {
        Process child = Process.Start(new ProcessStartInfo(program, arguments) { RedirectStandardOutput = true })!;
        _children.Add(child);
        return child;
    }

    [LibraryImport("libc", EntryPoint = "dup")]
    private static partial int Duplicate(int file);

    [LibraryImport("libc", EntryPoint = "close")]
    private static partial int Close(int file);

    [LibraryImport("libc", EntryPoint = "getrlimit")]
    private static partial int GetLimit(int resource, out Limit limit);

    [LibraryImport("libc", EntryPoint = "setrlimit")]
    private static partial int SetLimit(int resource, in Limit limit);

    private record struct Limit(ulong Current, ulong Most);

    [LibraryImport("libc", EntryPoint = "kill")]
    private static partial int Kill(int process, int signal);

    [LibraryImport("libc", EntryPoint = "prctl")]
    private static unsafe partial int SetProcessOption(int option, byte* value);
}
