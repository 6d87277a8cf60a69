using System.Diagnostics;
using System.Globalization;
using Picollo.Cpu;

namespace Picollo.Tests.Cpu.Linux;

/// <summary>Sizes, owners, waits and command lines of real processes of this machine.</summary>
[Collection(Alone.Name)]
[Trait("Category", "Slow")]
public sealed class LiveDetailTests : IDisposable
{
    private const SystemCpuParts Waits = SystemCpuParts.Processes | SystemCpuParts.Waits;

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
    public void Sizes_equal_those_in_statm_and_kernel_threads_have_none()
    {
        Process child = Start("sleep", "60");
        using var cpu = new SystemCpu(SystemCpuParts.Processes | SystemCpuParts.Memory);
        ProcessCpu sleep = Eventually(cpu, child.Id, each => each.Name == "sleep" && each.State == 'S');
        long[] pages = [.. File.ReadAllText($"/proc/{child.Id}/statm").Split(' ').Select(each => long.Parse(each, CultureInfo.InvariantCulture))];

        (sleep.VirtualBytes, sleep.ResidentBytes, sleep.SharedBytes).Should().Be(
            (pages[0] * Environment.SystemPageSize, pages[1] * Environment.SystemPageSize, pages[2] * Environment.SystemPageSize));
        sleep.ResidentBytes.Should().BePositive();
        if (cpu.Processes.FirstOrDefault(each => each.Name == "kthreadd") is { Id: > 0 } kernel) // not visible in a container
        {
            (kernel.VirtualBytes, kernel.ResidentBytes, kernel.SharedBytes).Should().Be((0, 0, 0));
            cpu.GetCommandLine(kernel.Id).Should().BeEmpty();
        }
    }

    [FactNeeding(Need.Linux)]
    public void A_zombie_has_no_sizes_and_no_command_line()
    {
        // The child ends after the shell has become a sleep, which does not wait for children.
        Process parent = Start("sh", "-c", "(while read name </proc/$$/comm && [ $name != sleep ]; do :; done) & echo $!; exec sleep 60");
        int id = int.Parse(parent.StandardOutput.ReadLine()!, CultureInfo.InvariantCulture);
        using var cpu = new SystemCpu(SystemCpuParts.Processes | SystemCpuParts.Memory | SystemCpuParts.Owners);

        ProcessCpu zombie = Eventually(cpu, id, each => each.State == 'Z');

        (zombie.VirtualBytes, zombie.ResidentBytes, zombie.SharedBytes).Should().Be((0, 0, 0));
        zombie.UserId.Should().Be(cpu.Processes.Single(each => each.Id == Environment.ProcessId).UserId);
        cpu.GetCommandLine(id).Should().NotBeNull().And.BeEmpty();
    }

    [FactNeeding(Need.Linux, Need.Root, Need.Setpriv)]
    public void The_owner_of_an_undumpable_process_is_its_effective_user()
    {
        // Changing the user without executing a program makes it undumpable: then root owns the files in its directory.
        Process child = Start("setpriv", "--euid=65534", "sleep", "60");
        using var cpu = new SystemCpu(SystemCpuParts.Processes | SystemCpuParts.Owners);

        Eventually(cpu, child.Id, each => each.Name == "sleep").UserId.Should().Be(65534);
        cpu.Processes.Single(each => each.Id == Environment.ProcessId).UserId.Should().Be(0);

        AsUser.Run(1234u, () => // real, effective and saved ID of one thread, which are not the owner of the process
        {
            cpu.Update();
            return cpu.Processes.Single(each => each.Id == child.Id).UserId;
        }).Should().Be(65534, "any user may query it");
    }

    [FactNeeding(Need.Linux)]
    public void A_command_line_longer_than_a_page_is_read_completely()
    {
        string[] words = [.. Enumerable.Range(0, 2_000).Select(i => $"argument {i}")];
        Process child = Start("sh", ["-c", "echo begun; exec 3>&1; while :; do sleep 60; done", .. words]);
        child.StandardOutput.ReadLine();
        using var cpu = new SystemCpu(SystemCpuParts.None);

        cpu.GetCommandLine(child.Id).Should().Equal(["sh", "-c", "echo begun; exec 3>&1; while :; do sleep 60; done", .. words]);
        child.Kill(entireProcessTree: true);
        child.WaitForExit();
        cpu.GetCommandLine(child.Id).Should().BeNull();
    }

    [FactNeeding(Need.Linux)]
    public void The_start_of_a_command_line_longer_than_64_KiB_is_read()
    {
        string[] words = ["sh", "-c", "echo begun; exec 3>&1; while :; do sleep 60; done", new('x', 100_000)];
        Process child = Start(words[0], words[1..]);
        child.StandardOutput.ReadLine();
        using var cpu = new SystemCpu(SystemCpuParts.None);

        string.Join('\0', cpu.GetCommandLine(child.Id)!).Should().Be(string.Join('\0', words)[..65_536]);
        child.Kill(entireProcessTree: true);
    }

    [FactNeeding(Need.Linux, Need.Taskset)]
    public void Two_processes_on_one_CPU_run_and_wait_half_of_the_time()
    {
        Process[] burners = [Burner(), Burner()];
        using var cpu = new SystemCpu(Waits | SystemCpuParts.Threads);
        double[] runs = [0, 0], waits = [0, 0], threadWaits = [0, 0];
        TimeSpan all = default;
        cpu.Update();
        for (int i = 0; i < 4; i++)
        {
            Thread.Sleep(500);
            cpu.Update();
            all += cpu.Interval;
            for (int j = 0; j < burners.Length; j++)
            {
                ProcessCpu burner = cpu.Processes.Single(each => each.Id == burners[j].Id);
                runs[j] += burner.Share!.Value * cpu.Interval.TotalSeconds;
                waits[j] += burner.WaitShare!.Value * cpu.Interval.TotalSeconds;
                threadWaits[j] += cpu.Threads.Single(each => each.Id == burner.Id).WaitShare!.Value * cpu.Interval.TotalSeconds;
            }
        }

        for (int j = 0; j < burners.Length; j++)
        {
            // Other processes may also use that CPU; the test waits until their share is small.
            double run = runs[j] / all.TotalSeconds, wait = waits[j] / all.TotalSeconds;
            run.Should().BeInRange(0.05, 0.65);
            wait.Should().BeInRange(0.35, 1.02);
            (run + wait).Should().BeInRange(0.9, 1.05, "it never sleeps, and the current time slice or wait is not counted yet");
            (threadWaits[j] / all.TotalSeconds).Should().Be(wait, "it has only this thread");
        }
    }

    [FactNeeding(Need.Linux, Need.Taskset)]
    public void The_wait_of_a_process_is_the_sum_of_its_threads_even_if_they_are_not_requested()
    {
        const double Rounding = 1_000; // an interval is truncated to 100 ns

        // A .NET program whose main thread computes, on one CPU that another process also uses.
        string log = Path.Combine(Directory.CreateTempSubdirectory("picollo").FullName, "log");
        Burner();
        Process child = Start("taskset", ["-c", LastCpu(), .. Tool.HelperApp("record-log", log)]);
        child.StandardOutput.ReadLine().Should().Be("recording");

        // The interval of each of them contains the interval of the next one.
        using var longest = new SystemCpu(Waits);
        using var withThreads = new SystemCpu(Waits | SystemCpuParts.Threads);
        using var shortest = new SystemCpu(Waits);
        Thread.Sleep(500);
        shortest.Update();
        withThreads.Update();
        longest.Update();

        double share = withThreads.Processes.Single(each => each.Id == child.Id).WaitShare!.Value;
        ThreadCpu[] threads = [.. withThreads.Threads.Where(each => each.ProcessId == child.Id)];
        threads.Length.Should().BeGreaterThan(3);
        double ofThreads = threads.Sum(each => each.WaitShare ?? 0);
        if (threads.All(each => each.WaitShare is not null))
        {
            ofThreads.Should().BeApproximately(share, 1e-9);
        }
        else
        {
            ofThreads.Should().BeLessThan(share + 1e-9, "the wait of a thread that had not yet run at the first sample counts only for the process");
        }

        share.Should().BeGreaterThan(0.2);
        Waited(withThreads).Should().BeInRange(Waited(shortest) - Rounding, Waited(longest) + Rounding);
        child.Kill();
        child.WaitForExit();
        Directory.Delete(Path.GetDirectoryName(log)!, recursive: true);

        double Waited(SystemCpu cpu) => cpu.Processes.Single(each => each.Id == child.Id).WaitShare!.Value * cpu.Interval.TotalNanoseconds;
    }

    [FactNeeding(Need.Linux)]
    public void Details_of_hundreds_of_threads_do_not_allocate_in_steady_state()
    {
        using var over = new ManualResetEventSlim();
        Thread[] threads = [.. Enumerable.Range(0, 300).Select(_ => new Thread(() => over.Wait(), maxStackSize: 128 * 1024))];
        Array.ForEach(threads, thread => thread.Start());
        try
        {
            using var cpu = new SystemCpu(Waits | SystemCpuParts.Memory | SystemCpuParts.Owners);
            cpu.Update();
            Enumerable.Range(0, 20).Any(_ =>
            {
                long before = GC.GetAllocatedBytesForCurrentThread();
                cpu.Update();
                return GC.GetAllocatedBytesForCurrentThread() == before;
            }).Should().BeTrue("in at least one round, no other code allocates");
            cpu.Processes.Single(each => each.Id == Environment.ProcessId).WaitShare.Should().NotBeNull();
        }
        finally
        {
            over.Set();
            Array.ForEach(threads, thread => thread.Join());
        }
    }

    private static ProcessCpu Eventually(SystemCpu cpu, int id, Func<ProcessCpu, bool> condition)
    {
        ProcessCpu found = default;
        SpinWait.SpinUntil(
            () =>
            {
                cpu.Update();
                found = cpu.Processes.SingleOrDefault(each => each.Id == id);
                return found.Id == id && condition(found);
            },
            TimeSpan.FromSeconds(30)).Should().BeTrue("it is {0}", found);
        return found;
    }

    private static string LastCpu()
    {
        using var cpu = new SystemCpu(SystemCpuParts.None);
        return cpu.Cpus[^1].Cpu!.Value.ToString(CultureInfo.InvariantCulture);
    }

    private Process Burner() => Start("taskset", "-c", LastCpu(), "sh", "-c", "while :; do :; done");

    private Process Start(string program, params string[] arguments)
    {
        Process child = Process.Start(new ProcessStartInfo(program, arguments) { RedirectStandardOutput = true })!;
        _children.Add(child);
        return child;
    }
}
