using System.Diagnostics;
using System.Numerics;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using System.Text;
using Picollo.Cpu;
using Picollo.Cpu.Linux;
using Picollo.Interop.Linux;

namespace Picollo.Tests.Cpu.Linux;

/// <summary>Real processes and threads of this machine, which change while they are sampled.</summary>
[Collection(Alone.Name)]
[Trait("Category", "Slow")]
public sealed partial class LiveProcessTests
{
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

        foreach (SystemCpuParts part in Enum.GetValues<SystemCpuParts>().Where(part => BitOperations.PopCount((uint)part) == 1))
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

    [FactNeeding(Need.Linux, Need.Root, Need.Setpriv)]
    public void The_owner_of_an_undumpable_process_is_its_effective_user()
    {
        // Changing the user without executing a program makes it undumpable: then root owns the files in its directory.
        using Process child = Process.Start("setpriv", ["--euid=65534", "sleep", "60"]);
        using var cpu = new SystemCpu(SystemCpuParts.Processes | SystemCpuParts.Owners);
        SpinWait.SpinUntil(() => Child().Name == "sleep", TimeSpan.FromSeconds(30)).Should().BeTrue();

        Child().UserId.Should().Be(65534);
        AsUser.Run(1234u, () => Child().UserId) // real, effective and saved ID of one thread, which are not the owner of the process
            .Should().Be(65534, "any user may query it");
        cpu.Processes.Single(each => each.Id == Environment.ProcessId).UserId.Should().Be(0);
        child.Kill();

        ProcessCpu Child()
        {
            cpu.Update();
            return cpu.Processes.SingleOrDefault(each => each.Id == child.Id);
        }
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

    [LibraryImport("libc", EntryPoint = "dup")]
    private static partial int Duplicate(int file);

    [LibraryImport("libc", EntryPoint = "close")]
    private static partial int Close(int file);

    [LibraryImport("libc", EntryPoint = "getrlimit")]
    private static partial int GetLimit(int resource, out Limit limit);

    [LibraryImport("libc", EntryPoint = "setrlimit")]
    private static partial int SetLimit(int resource, in Limit limit);

    private record struct Limit(ulong Current, ulong Most);

    [TheoryNeeding(Need.Linux)]
    [InlineData("/proc")]
    [InlineData("/proc/self/stat")]
    public void Files_are_closed_in_a_child(string path)
    {
        int file = LinuxFiles.Open(LibC.AT_FDCWD, Encoding.UTF8.GetBytes(path + '\0'));
        file.Should().BeGreaterThanOrEqualTo(0);
        string flags = File.ReadLines($"/proc/self/fdinfo/{file}").Single(line => line.StartsWith("flags:", StringComparison.Ordinal));
        LinuxFiles.Close(file);

        (Convert.ToInt32(flags["flags:".Length..].Trim(), 8) & LibC.O_CLOEXEC).Should().Be(LibC.O_CLOEXEC);
    }
}
