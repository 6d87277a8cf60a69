using System.Diagnostics;
using System.Globalization;
using Picollo.Cpu;

namespace Picollo.Diagnostics.Tests;

/// <summary>Tests signals and niceness of real child processes.</summary>
[Collection(Alone.Name)]
[Trait("Category", "Slow")]
public sealed class RunningProcessTests : IDisposable
{
    private const int Kill = 9, Terminate = 15, Continue = 18, Stop = 19;

    private readonly List<Process> _children = [];
    private readonly SystemCpu _cpu = new(SystemCpuParts.Processes);

    public void Dispose()
    {
        _cpu.Dispose();
        foreach (Process child in _children)
        {
            child.Kill();
            child.WaitForExit();
            child.Dispose();
        }
    }

    [FactNeeding(Need.Linux)]
    public void A_signal_reaches_the_process_that_was_shown()
    {
        Process child = Start("sleep", "60");
        using RunningProcess running = Open(Find(child.Id));

        running.Id.Should().Be(child.Id);
        Signal(running, Stop).Should().BeNull();
        Eventually(() => Find(child.Id).State == 'T');
        Signal(running, Continue).Should().BeNull();
        Eventually(() => Find(child.Id).State == 'S');
        Signal(running, Terminate).Should().BeNull();
        child.WaitForExit(30_000).Should().BeTrue();
        child.ExitCode.Should().Be(128 + Terminate);

        Signal(running, Kill).Should().Contain("has exited");
        SetNice(running, 5).Should().Contain("has exited");
    }

    [FactNeeding(Need.Linux)]
    public void A_process_that_ended_since_it_was_shown_is_not_opened()
    {
        Process child = Start("sleep", "60");
        ProcessCpu shown = Find(child.Id);
        child.Kill();
        child.WaitForExit();

        ReasonFor(shown).Should().ContainAny("has exited", "There is no process");
    }

    [FactNeeding(Need.Linux)]
    public void A_zombie_counts_as_ended()
    {
        // The shell is replaced by a sleep, which does not wait for its child.
        Process parent = Start("sh", "-c", "sleep 0.1 & echo $!; exec sleep 60");
        int id = int.Parse(parent.StandardOutput.ReadLine()!, CultureInfo.InvariantCulture);
        using RunningProcess early = Open(Find(id));
        Eventually(() => Find(id).State == 'Z');

        ReasonFor(Find(id)).Should().Contain("has exited");
        Signal(early, Kill).Should().Contain("has exited", "the kernel would report no error");
        SetNice(early, 5).Should().Contain("has exited");
    }

    [FactNeeding(Need.Linux)]
    public void A_reused_ID_is_rejected()
    {
        Process child = Start("sleep", "60");
        ProcessCpu shown = Find(child.Id);

        foreach (ProcessCpu other in new[]
        {
            shown with { StartNanoseconds = shown.StartNanoseconds - 10_000_000 }, // one tick
            shown with { StartNanoseconds = shown.StartNanoseconds + 10_000_000 },
            shown with { StartNanoseconds = 0 },
        })
        {
            ReasonFor(other).Should().Contain("another process");
        }

        child.HasExited.Should().BeFalse();
    }

    [FactNeeding(Need.Linux)]
    public void A_thread_ID_is_rejected()
    {
        using var over = new ManualResetEventSlim();
        long id = 0;
        var thread = new Thread(() =>
        {
            Volatile.Write(ref id, CpuUsageReader.GetThreadId());
            over.Wait();
        });
        thread.Start();
        SpinWait.SpinUntil(() => Volatile.Read(ref id) != 0);

        ReasonFor(Find(Environment.ProcessId) with { Id = (int)id }).Should().NotBeEmpty();
        ReasonFor(default).Should().Contain("no process 0");
        ReasonFor(new ProcessCpu { Id = -1 }).Should().Contain("no process -1");
        over.Set();
        thread.Join();
    }

    [FactNeeding(Need.Linux)]
    public void Invalid_signals_and_niceness_values_are_rejected()
    {
        Process child = Start("sleep", "60");
        RunningProcess running = Open(Find(child.Id));

        foreach (int signal in new[] { 0, -1, 65, int.MaxValue })
        {
            running.Invoking(each => each.TrySignal(signal, out _)).Should().Throw<ArgumentOutOfRangeException>().WithParameterName("signal");
        }

        foreach (int nice in new[] { -21, 20 })
        {
            running.Invoking(each => each.TrySetNice(nice, out _)).Should().Throw<ArgumentOutOfRangeException>().WithParameterName("nice");
        }

        running.Dispose();
        running.Dispose();
        running.Invoking(each => each.TrySignal(Kill, out _)).Should().Throw<ObjectDisposedException>();
        running.Invoking(each => each.TrySetNice(5, out _)).Should().Throw<ObjectDisposedException>();
        child.HasExited.Should().BeFalse();
    }

    [FactNeeding(Need.Linux)]
    public void The_niceness_of_all_threads_changes()
    {
        // A .NET program has several threads.
        string log = Path.Combine(Directory.CreateTempSubdirectory("picollo").FullName, "log");
        string[] line = Tool.HelperApp("record-log", log);
        Process child = Start(line[0], line[1..]);
        child.StandardOutput.ReadLine().Should().Be("recording");
        using var threads = new SystemCpu(SystemCpuParts.Threads);
        int before = threads.Threads.First(each => each.ProcessId == child.Id).Nice!.Value;
        int wanted = Math.Min(before + 4, 19);
        using RunningProcess running = Open(Find(child.Id));

        SetNice(running, wanted).Should().BeNull();

        threads.Update();
        ThreadCpu[] its = [.. threads.Threads.Where(each => each.ProcessId == child.Id)];
        its.Length.Should().BeGreaterThan(3);
        its.Should().OnlyContain(each => each.Nice == wanted);
        Find(Environment.ProcessId).Nice.Should().Be(before, "this process is not the target");
        SetNice(running, wanted).Should().BeNull("all threads already have the niceness");
        child.Kill();
        child.WaitForExit();
        Directory.Delete(Path.GetDirectoryName(log)!, recursive: true);
    }

    [FactNeeding(Need.Linux, Need.Root, Need.Setpriv)]
    public void Missing_permissions_are_reported()
    {
        Process roots = Start("sleep", "60");
        Process nobodys = Start("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "nice", "-n", "5", "sleep", "60");
        Eventually(() => Find(nobodys.Id) is { Name: "sleep" });
        using RunningProcess other = Open(Find(roots.Id)), own = Open(Find(nobodys.Id));

        AsUser.Run(AsUser.Nobody, () => Signal(other, Terminate)).Should().Contain("another user").And.Contain("CAP_KILL");
        AsUser.Run(AsUser.Nobody, () => SetNice(other, 19)).Should().Contain("another user").And.Contain("CAP_SYS_NICE");
        AsUser.Run(AsUser.Nobody, () => SetNice(own, -5)).Should().Contain("CAP_SYS_NICE").And.NotContain("another user");
        AsUser.Run(AsUser.Nobody, () => SetNice(own, 19)).Should().BeNull();
        Find(nobodys.Id).Nice.Should().Be(19);
        AsUser.Run(AsUser.Nobody, () => Signal(own, Terminate)).Should().BeNull();
        nobodys.WaitForExit(30_000).Should().BeTrue();
        roots.HasExited.Should().BeFalse();
    }

    [FactNeeding(Need.Linux)]
    public void All_descriptors_are_closed()
    {
        Process child = Start("sleep", "60");
        ProcessCpu shown = Find(child.Id);
        for (int i = 0; i < 100; i++)
        {
            Open(shown).Dispose();
            ReasonFor(shown with { StartNanoseconds = 0 });
        }

        Directory.GetFileSystemEntries("/proc/self/fd").Count(file => new FileInfo(file).LinkTarget?.Contains("pidfd", StringComparison.Ordinal) == true)
            .Should().BeLessThan(20, "Process opens some descriptors, but not one per call");
    }

    private static RunningProcess Open(ProcessCpu process)
    {
        RunningProcess.TryOpen(process, out RunningProcess? running, out string? reason).Should().BeTrue(reason);
        reason.Should().BeNull();
        return running!;
    }

    private static string ReasonFor(ProcessCpu process)
    {
        RunningProcess.TryOpen(process, out RunningProcess? running, out string? reason).Should().BeFalse();
        running.Should().BeNull();
        return reason!;
    }

    private static string? Signal(RunningProcess process, int signal)
    {
        bool isSent = process.TrySignal(signal, out string? reason);
        isSent.Should().Be(reason is null);
        return reason;
    }

    private static string? SetNice(RunningProcess process, int nice)
    {
        bool isChanged = process.TrySetNice(nice, out string? reason);
        isChanged.Should().Be(reason is null);
        return reason;
    }

    private static void Eventually(Func<bool> condition) =>
        SpinWait.SpinUntil(condition, TimeSpan.FromSeconds(30)).Should().BeTrue("within 30 s");

    private ProcessCpu Find(int id)
    {
        _cpu.Update();
        return _cpu.Processes.Single(each => each.Id == id);
    }

    private Process Start(string program, params string[] arguments)
    {
        Process child = Process.Start(new ProcessStartInfo(program, arguments) { RedirectStandardOutput = true })!;
        _children.Add(child);
        return child;
    }
}
