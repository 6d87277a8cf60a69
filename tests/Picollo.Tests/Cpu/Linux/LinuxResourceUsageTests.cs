using System.Diagnostics;
using System.Globalization;
using System.IO.MemoryMappedFiles;
using System.Runtime.InteropServices;
using Picollo.Cpu;
using Picollo.Cpu.Linux;
using Picollo.Interop.Linux;

namespace Picollo.Tests.Cpu.Linux;

/// <summary>Compares the usage with known work and with the values of the kernel in /proc.</summary>
[Collection(Alone.Name)]
public sealed unsafe partial class LinuxResourceUsageTests
{
    private const int PageCount = 4_000;

    // Allows for events of the runtime in the meantime, such as the compilation of a method or a collection that stops the thread.
    private const int Aside = PageCount / 10;

    private const int BytesPerKibibyte = 1 << 10;
    private const long Step = 64 << 20;

    // The tests do not use more memory than this.
    private const long MostTouched = 512 << 20;

    /// <summary>The kernel counts resident pages per CPU up to a batch of max(32, 2 × CPUs), and adds three of these counters without the
    /// batches (lib/percpu_counter.c, get_mm_rss()).</summary>
    private static readonly long ResidentError = 3L * Environment.ProcessorCount * Math.Max(32, 2 * Environment.ProcessorCount) * Environment.SystemPageSize;

    [FactNeeding(Need.Linux)]
    public void Each_first_access_to_a_page_is_a_minor_fault_of_thread_and_process()
    {
        using var memory = new SmallPages((long)PageCount * Environment.SystemPageSize);
        ResourceUsage process = ResourceUsage.GetByProcess();
        ResourceUsage thread = ResourceUsage.GetByThread();
        memory.Touch();
        ResourceUsage first = ResourceUsage.GetByThread();
        memory.Touch();
        ResourceUsage second = ResourceUsage.GetByThread();

        (first - thread).MinorPageFaults.Should().BeInRange(PageCount, PageCount + Aside);
        (second - first).MinorPageFaults.Should().BeInRange(0, Aside);
        (ResourceUsage.GetByProcess() - process).MinorPageFaults.Should().BeGreaterThanOrEqualTo(PageCount);
    }

    [FactNeeding(Need.Linux)]
    public void Faults_of_another_thread_count_for_the_process_only()
    {
        using var memory = new SmallPages((long)PageCount * Environment.SystemPageSize);
        ResourceUsage process = ResourceUsage.GetByProcess();
        ResourceUsage thread = ResourceUsage.GetByThread();
        var other = new Thread(memory.Touch);
        other.Start();
        other.Join();

        (ResourceUsage.GetByThread() - thread).MinorPageFaults.Should().BeInRange(0, Aside);
        (ResourceUsage.GetByProcess() - process).MinorPageFaults.Should().BeGreaterThanOrEqualTo(PageCount, "a thread that has ended still counts");
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void Each_sleep_is_a_voluntary_switch()
    {
        const int Sleeps = 50;
        ResourceUsage before = ResourceUsage.GetByThread();
        ResourceUsage process = ResourceUsage.GetByProcess();
        for (int i = 0; i < Sleeps; i++)
        {
            Thread.Sleep(1);
        }

        (ResourceUsage.GetByThread() - before).VoluntaryContextSwitches.Should().BeInRange(Sleeps, 2 * Sleeps);
        (ResourceUsage.GetByProcess() - process).VoluntaryContextSwitches.Should().BeGreaterThanOrEqualTo(Sleeps);
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void Switches_equal_those_in_proc()
    {
        // With more threads than CPUs, this thread loses its CPU a few times.
        using var load = new BackgroundLoad();
        Burn.User(TimeSpan.FromMilliseconds(200));

        ResourceUsage before = ResourceUsage.GetByThread();
        string status = File.ReadAllText("/proc/thread-self/status");
        ResourceUsage after = ResourceUsage.GetByThread();

        Field(status, "voluntary_ctxt_switches").Should().BeInRange(before.VoluntaryContextSwitches, after.VoluntaryContextSwitches);
        Field(status, "nonvoluntary_ctxt_switches").Should().BeInRange(before.InvoluntaryContextSwitches, after.InvoluntaryContextSwitches);
        after.VoluntaryContextSwitches.Should().BePositive();
        after.InvoluntaryContextSwitches.Should().BePositive();
    }

    /// <summary>Uses a file that is no longer in the page cache. (On a tmpfs it remains there, and neither the reading nor /proc counts a
    /// major fault.)</summary>
    [FactNeeding(Need.Linux)]
    public void Major_faults_equal_those_in_proc()
    {
        const int Size = 1 << 22;
        string path = Path.Combine(AppContext.BaseDirectory, Path.GetRandomFileName());
        using var file = new FileStream(path, FileMode.CreateNew, FileAccess.ReadWrite, FileShare.None, 1, FileOptions.DeleteOnClose);
        file.Write(new byte[Size]);
        file.Flush(flushToDisk: true);
        ForgetCached((int)file.SafeFileHandle.DangerousGetHandle(), 0, 0, DontNeed).Should().Be(0);
        using var mapped = MemoryMappedFile.CreateFromFile(file, null, 0, MemoryMappedFileAccess.Read, HandleInheritability.None, leaveOpen: true);
        using MemoryMappedViewAccessor view = mapped.CreateViewAccessor(0, Size, MemoryMappedFileAccess.Read);
        long faultsInProc = MajorFaultsInProc();
        ResourceUsage before = ResourceUsage.GetByThread();
        for (int i = 0; i < Size; i += Environment.SystemPageSize)
        {
            view.ReadByte(i).Should().Be(0);
        }

        long taken = (ResourceUsage.GetByThread() - before).MajorPageFaults;
        taken.Should().BeInRange(new DriveInfo(path).DriveFormat == "tmpfs" ? 0 : 1, MajorFaultsInProc() - faultsInProc);
    }

    /// <summary>Uses a file that is written, and read when it is no longer in the page cache. (On a tmpfs, and in a kernel without the
    /// accounting, neither the reading nor /proc counts anything.)</summary>
    [FactNeeding(Need.Linux)]
    public void Block_operations_equal_those_in_proc_in_units_of_512_bytes()
    {
        const int Size = 1 << 20;
        string path = Path.Combine(AppContext.BaseDirectory, Path.GetRandomFileName());
        using var file = new FileStream(path, FileMode.CreateNew, FileAccess.ReadWrite, FileShare.None, 1, FileOptions.DeleteOnClose);
        (long read, long written) = BlocksInProc();
        ResourceUsage start = ResourceUsage.GetByThread();
        file.Write(new byte[Size]);
        file.Flush(flushToDisk: true);
        ForgetCached((int)file.SafeFileHandle.DangerousGetHandle(), 0, 0, DontNeed).Should().Be(0);
        file.Position = 0;
        file.ReadExactly(new byte[Size]);
        ResourceUsage taken = ResourceUsage.GetByThread() - start;
        (long readAfter, long writtenAfter) = BlocksInProc();

        start.BlockInputOperations.Should().BeGreaterThanOrEqualTo(read);
        taken.BlockInputOperations.Should().BeInRange(readAfter > read ? 1 : 0, readAfter - read);
        taken.BlockOutputOperations.Should().BeInRange(writtenAfter - written >= Size / 512 ? Size / 512 : 0, writtenAfter - written);
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void The_largest_resident_size_equals_that_in_proc()
    {
        // The high-water mark also includes the process that started this one, which is not in this process's /proc.
        long mark = ResourceUsage.GetByProcess().MaxResidentBytes;
        bool isInherited = mark > LargestInProc() + ResidentError;
        long missing = isInherited ? mark - InProc("VmRSS") + Step : Environment.SystemPageSize;
        if (missing > MostTouched)
        {
            mark.Should().BeLessThanOrEqualTo(Field(File.ReadAllText($"/proc/{Parent()}/status"), "VmHWM") * BytesPerKibibyte + ResidentError);
            return;
        }

        using var memory = new SmallPages(missing);
        memory.Touch();

        long before = ResourceUsage.GetByProcess().MaxResidentBytes;
        long thread = ResourceUsage.GetByThread().MaxResidentBytes;
        long inProc = LargestInProc();
        long after = ResourceUsage.GetByProcess().MaxResidentBytes;

        inProc.Should().BeInRange(before - ResidentError, after + ResidentError);
        thread.Should().BeInRange(before, after, "a thread has the value of its process");
    }

    /// <summary>Other tests may have made this process, and therefore its children, larger than the child here. Then the test sees that
    /// size.</summary>
    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void Children_have_the_size_of_the_largest_child_and_the_counts_of_all_children()
    {
        const long Size = 4 * Step;
        const long Program = Step / 4;
        const int LargestPage = 1 << 21;
        ResourceUsage start = ResourceUsage.GetByChildren();
        long inherited = Math.Max(start.MaxResidentBytes, LargestInProc());
        ReadZeros(Size);
        ResourceUsage first = ResourceUsage.GetByChildren();
        ReadZeros(Size / 2);
        ResourceUsage second = ResourceUsage.GetByChildren();

        long limit = Math.Max(Math.Max(start.MaxResidentBytes, LargestInProc()), Size + Program) + ResidentError;
        first.MaxResidentBytes.Should().BeInRange(Math.Max(inherited, Size) - ResidentError, limit);
        second.MaxResidentBytes.Should().BeInRange(first.MaxResidentBytes, limit);
        (first - start).MinorPageFaults.Should().BeGreaterThan(Size / LargestPage);
        (second - first).MinorPageFaults.Should().BeGreaterThan(Size / 2 / LargestPage);
        (second - first).Cpu.KernelNanoseconds.Should().BePositive();
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void A_child_has_at_least_the_size_of_this_process_at_its_start()
    {
        using var memory = new SmallPages(Step);
        memory.Touch();
        long own = LargestInProc();

        using Process child = Process.Start("/bin/true");
        child.WaitForExit();

        ResourceUsage.GetByChildren().MaxResidentBytes.Should().BeGreaterThanOrEqualTo(own - ResidentError);
    }

    [FactNeeding(Need.Linux)]
    public void A_reading_allocates_nothing()
    {
        Allocations.InSteadyState(() => ResourceUsage.TryGetByThread(out _, out _)).Should().Be(0);
        Allocations.InSteadyState(() => ResourceUsage.TryGetByProcess(out _, out _)).Should().Be(0);
        Allocations.InSteadyState(() => ResourceUsage.TryGetByChildren(out _, out _)).Should().Be(0);
    }

    [FactNeeding(Need.Linux)]
    public void Refused_calls_return_false_and_zero()
    {
        LinuxResourceUsage.TryRead(who: 99, out LibC.Rusage usage).Should().BeFalse();
        LinuxResourceUsage.ToUsage(usage).Should().Be(default(ResourceUsage));
    }

    [Theory]
    [InlineData((int)ResourceOwner.Thread, "CLOCK_THREAD_CPUTIME_ID", "RUSAGE_THREAD")]
    [InlineData((int)ResourceOwner.Process, "RUSAGE_SELF")]
    [InlineData((int)ResourceOwner.Children, "RUSAGE_CHILDREN")]
    public void A_reason_names_the_calls_to_allow(int owner, params string[] calls)
    {
        MeasurementUnavailableException refused = LinuxResourceUsage.Refused((ResourceOwner)owner, Errno.EPERM);
        refused.Message.Should().ContainAll([.. calls, "Allow"]);
        (refused.Cause, refused.ErrorNumber).Should().Be((MeasurementUnavailableCause.SeccompFilter, Errno.EPERM));
    }

    private static long Parent() => Field(File.ReadAllText("/proc/self/status"), "PPid");

    private static long LargestInProc() => InProc("VmHWM");

    private static long InProc(string size) => Field(File.ReadAllText("/proc/self/status"), size) * BytesPerKibibyte;

    // Reads in one call, into a buffer of the given size.
    private static void ReadZeros(long size)
    {
        using Process child = Process.Start("dd", ["if=/dev/zero", "of=/dev/null", $"bs={size.ToString(CultureInfo.InvariantCulture)}", "count=1", "status=none"]);
        child.WaitForExit();
        child.ExitCode.Should().Be(0);
    }

    private static long Field(string status, string name)
    {
        string line = status.Split('\n').Single(line => line.StartsWith($"{name}:", StringComparison.Ordinal));
        return long.Parse(line.Split([':', '\t', ' '], StringSplitOptions.RemoveEmptyEntries)[1], CultureInfo.InvariantCulture);
    }

    // proc(5): field 12 of stat, the tenth after the name in parentheses.
    private static long MajorFaultsInProc()
    {
        string stat = File.ReadAllText("/proc/thread-self/stat");
        return long.Parse(stat[(stat.LastIndexOf(')') + 2)..].Split(' ')[9], CultureInfo.InvariantCulture);
    }

    // proc_pid_io(5): absent in a kernel without the accounting.
    private static (long Read, long Written) BlocksInProc()
    {
        const string Io = "/proc/thread-self/io";
        string io = File.Exists(Io) ? File.ReadAllText(Io) : "read_bytes: 0\nwrite_bytes: 0";
        return (Field(io, "read_bytes") / 512, Field(io, "write_bytes") / 512);
    }

    private const int DontNeed = 4; // POSIX_FADV_DONTNEED of <fcntl.h>

    [LibraryImport("libc", EntryPoint = "posix_fadvise")]
    private static partial int ForgetCached(int file, nint offset, nint length, int advice);

    /// <summary>New memory in pages of the smallest size.</summary>
    private sealed partial class SmallPages : IDisposable
    {
        private const int ReadWrite = 3, PrivateAnonymous = 0x22, NoHugePages = 15; // <sys/mman.h>

        private readonly long _size;
        private byte* _memory;

        public SmallPages(long size)
        {
            _size = size;
            nint memory = Map(0, (nint)size, ReadWrite, PrivateAnonymous, -1, 0);
            memory.Should().NotBe(-1);
            _memory = (byte*)memory;
            _ = Advise(memory, (nint)size, NoHugePages); // refused by a kernel without huge pages
        }

        public void Touch()
        {
            for (long i = 0; i < _size; i += Environment.SystemPageSize)
            {
                _memory[i]++;
            }
        }

        public void Dispose()
        {
            if (_memory != null)
            {
                _ = Unmap((nint)_memory, (nint)_size);
                _memory = null;
            }
        }

        [LibraryImport("libc", EntryPoint = "mmap")]
        private static partial nint Map(nint address, nint length, int protection, int flags, int file, nint offset);

        [LibraryImport("libc", EntryPoint = "madvise")]
        private static partial int Advise(nint address, nint length, int advice);

        [LibraryImport("libc", EntryPoint = "munmap")]
        private static partial int Unmap(nint address, nint length);
    }
}
