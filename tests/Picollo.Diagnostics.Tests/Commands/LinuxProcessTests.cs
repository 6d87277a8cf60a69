using System.Diagnostics;
using System.Globalization;
using Picollo.Cpu;
using Picollo.Diagnostics.Commands.Linux;

namespace Picollo.Diagnostics.Tests;

/// <summary>Tests signals and niceness of real child processes.</summary>
[Collection(Alone.Name)]
[Trait("Category", "Slow")]
public sealed class LinuxProcessTests : IDisposable
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
        using LinuxProcess running = Open(Find(child.Id));

        running.Id.Should().Be(child.Id);
        running.Signal(Stop).Should().BeNull();
        Eventually(() => Find(child.Id).State == 'T');
        running.Signal(Continue).Should().BeNull();
        Eventually(() => Find(child.Id).State == 'S');
        running.Signal(Terminate).Should().BeNull();
        child.WaitForExit(30_000).Should().BeTrue();
        child.ExitCode.Should().Be(128 + Terminate);

        running.Signal(Kill).Should().Contain("has exited");
        running.SetNice(5).Should().Contain("has exited");
    }

    [FactNeeding(Need.Linux)]
    public void A_zombie_counts_as_ended()
    {
        // The shell is replaced by a sleep, which does not wait for its child.
        Process parent = Start("sh", "-c", "sleep 0.1 & echo $!; exec sleep 60");
        int id = int.Parse(parent.StandardOutput.ReadLine()!, CultureInfo.InvariantCulture);
        using LinuxProcess early = Open(Find(id));
        Eventually(() => Find(id).State == 'Z');

        ReasonFor(Find(id)).Should().Contain("has exited");
        early.Signal(Kill).Should().Contain("has exited", "the kernel would report no error");
        early.SetNice(5).Should().Contain("has exited");
    }

    [FactNeeding(Need.Linux)]
    public void Only_the_process_that_was_shown_is_opened_and_its_descriptor_is_closed()
    {
        Process child = Start("sleep", "60");
        ProcessCpu shown = Find(child.Id);
        for (int i = 0; i < 100; i++)
        {
            foreach (long start in (long[])[shown.StartNanoseconds - 10_000_000, shown.StartNanoseconds + 10_000_000, 0]) // one tick
            {
                ReasonFor(shown with { StartNanoseconds = start }).Should().Contain("another process");
            }

            LinuxProcess running = Open(shown);
            running.Dispose();
            running.Dispose();
            running.Invoking(process => process.Signal(Kill)).Should().Throw<ObjectDisposedException>();
            running.Invoking(process => process.SetNice(5)).Should().Throw<ObjectDisposedException>();
        }

        child.HasExited.Should().BeFalse();
        Directory.GetFileSystemEntries("/proc/self/fd").Count(file => new FileInfo(file).LinkTarget?.Contains("pidfd", StringComparison.Ordinal) == true)
            .Should().BeLessThan(20, "Process opens some descriptors, but not one per call");
        child.Kill();
        child.WaitForExit();
        ReasonFor(shown).Should().ContainAny("has exited", "There is no process");
    }

    [FactNeeding(Need.Linux)]
    public void A_thread_ID_is_rejected()
    {
        string main = Environment.ProcessId.ToString(CultureInfo.InvariantCulture);
        string thread = Directory.EnumerateDirectories("/proc/self/task").Select(path => Path.GetFileName(path)).First(id => id != main);

        ReasonFor(Find(Environment.ProcessId) with { Id = int.Parse(thread, CultureInfo.InvariantCulture) }).Should().NotBeEmpty();
        ReasonFor(default).Should().Contain("no process 0");
        ReasonFor(new ProcessCpu { Id = -1 }).Should().Contain("no process -1");
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
        using LinuxProcess running = Open(Find(child.Id));

        running.SetNice(wanted).Should().BeNull();

        threads.Update();
        ThreadCpu[] its = [.. threads.Threads.Where(each => each.ProcessId == child.Id)];
        its.Length.Should().BeGreaterThan(3);
        its.Should().OnlyContain(each => each.Nice == wanted);
        Find(Environment.ProcessId).Nice.Should().Be(before, "this process is not the target");
        running.SetNice(wanted).Should().BeNull("all threads already have the niceness");
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
        using LinuxProcess rootsProcess = Open(Find(roots.Id)), nobodysProcess = Open(Find(nobodys.Id));

        AsUser.Run(AsUser.Nobody, () => rootsProcess.Signal(Terminate)).Should().Contain("another user").And.Contain("CAP_KILL");
        AsUser.Run(AsUser.Nobody, () => rootsProcess.SetNice(19)).Should().Contain("another user").And.Contain("CAP_SYS_NICE");
        AsUser.Run(AsUser.Nobody, () => nobodysProcess.SetNice(-5)).Should().Contain("CAP_SYS_NICE").And.NotContain("another user");
        AsUser.Run(AsUser.Nobody, () => nobodysProcess.SetNice(19)).Should().BeNull();
        Find(nobodys.Id).Nice.Should().Be(19);
        AsUser.Run(AsUser.Nobody, () => nobodysProcess.Signal(Terminate)).Should().BeNull();
        nobodys.WaitForExit(30_000).Should().BeTrue();
        roots.HasExited.Should().BeFalse();
    }

    private static LinuxProcess Open(ProcessCpu process)
    {
        LinuxProcess.TryOpen(process.Id, process.StartNanoseconds, out LinuxProcess? running, out MeasurementUnavailableException? failure).Should().BeTrue(failure?.Message);
        failure.Should().BeNull();
        return running!;
    }

    private static string ReasonFor(ProcessCpu process)
    {
        LinuxProcess.TryOpen(process.Id, process.StartNanoseconds, out LinuxProcess? running, out MeasurementUnavailableException? failure).Should().BeFalse();
        running.Should().BeNull();
        return failure!.Message;
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
