using System.Diagnostics.CodeAnalysis;
using Picollo.Cpu.Linux;
using Picollo.Interop.Linux;
using Picollo.Interop.Native;

namespace Picollo.Diagnostics.Jitter.Linux;

/// <summary>The system functions of Linux.</summary>
/// <remarks>mlockall(2) was rejected: a .NET process reserves about 256 GB of address space, all of which would count against a user's
/// limit of 8 MB. The memory that the loops use is known and is locked separately.</remarks>
internal sealed unsafe class LinuxJitterSystem : IJitterSystem
{
    private const string CpuFolder = "/sys/devices/system/cpu/";

    /// <summary>The number of code pages to lock. The native loop has about 500 bytes, so it is on one or two pages.</summary>
    private const int PagesOfCode = 2;

    /// <summary>The number of stack pages to lock: the page of the caller's frame, and the pages below it that the frames of the loop and
    /// of a signal handler can reach.</summary>
    private const int PagesOfStack = 4;

    private static readonly string[] TracingFolders = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"];

    private static readonly nuint PageSize = (nuint)Environment.SystemPageSize;

    private readonly delegate* unmanaged<JitterState*, int> _native;

    public LinuxJitterSystem(NativeShim? shim = null) => _native = (shim ?? NativeShim.Current).RunJitter;

    public bool TryFindCpus(
        IReadOnlyList<int>? requested, out int[] cpus, [NotNullWhen(false)] out MeasurementUnavailableException? failure)
    {
        // The affinity of the main thread is used, because the calling thread may have been pinned for another purpose.
        if (CpuMask.Get(Environment.ProcessId) is not { } allowed)
        {
            (cpus, failure) = ([], JitterReasons.NoAffinity(Marshal.GetLastPInvokeError()));
            return false;
        }

        failure = CpuChoice.TryChoose(requested, allowed, ReadList("online"), ReadList("possible"), out cpus, out string? reason)
            ? null
            : new(reason, MeasurementUnavailableCause.TargetNotFound);
        return failure is null;
    }

    public void* Allocate(nuint bytes, ReasonList reasons)
    {
        nint memory = LibC.mmap(0, bytes, LibC.PROT_READ | LibC.PROT_WRITE, LibC.MAP_PRIVATE | LibC.MAP_ANONYMOUS, -1, 0);
        if (memory == LibC.MAP_FAILED)
        {
            throw new InsufficientMemoryException($"Allocating {bytes} bytes for samples failed: {Marshal.GetLastPInvokeErrorMessage()}.");
        }

        if (!TryLock(memory, bytes, reasons))
        {
            NativeMemory.Clear((void*)memory, bytes); // makes the pages present, at least for now
        }

        return (void*)memory;
    }

    public void Free(void* memory, nuint bytes) => _ = LibC.munmap((nint)memory, bytes);

    public IDisposable? Prepare(ReasonList reasons)
    {
        if (_native == null)
        {
            reasons.Add(JitterReasons.NoShim);
        }
        else
        {
            // The code remains locked, because locks do not nest and another meter may be running.
            TryLock((nint)((nuint)_native & ~(PageSize - 1)), PagesOfCode * PageSize, reasons);
        }

        return PreventDeepSleep(reasons);
    }

    public JitterTrace OpenTrace() => JitterTrace.Open(TracingFolders);

    public bool TryEnter(
        int cpu,
        ref int? priority,
        ReasonList reasons,
        out long threadId,
        [NotNullWhen(false)] out MeasurementUnavailableException? failure)
    {
        threadId = LinuxCpuTimes.CurrentThreadId ?? 0;
        int error = CpuMask.Pin(cpu);
        failure = threadId == 0 ? JitterReasons.NoThreadId : error != 0 ? JitterReasons.NotPinned(cpu, error) : null;
        if (failure is not null)
        {
            return false;
        }

        // The kernel delays wake-ups of threads with ordinary priority by up to 50 µs to combine them (prctl(2)). The minimum is 1 ns.
        _ = LibC.prctl(LibC.PR_SET_TIMERSLACK, 1, 0, 0, 0);
        TryLock(Stack, PagesOfStack * PageSize, reasons);
        if (priority is { } level)
        {
            error = LibC.pthread_setschedparam(LibC.pthread_self(), LibC.SCHED_FIFO | LibC.SCHED_RESET_ON_FORK, &level);
            if (error != 0)
            {
                reasons.Add(JitterReasons.NoRealTimePriority(level, error, LinuxRights.Read()));
                priority = null;
            }
        }

        return true;
    }

    // The C library reuses the stack of an ended thread, which would remain locked.
    public void Leave() => _ = LibC.munlock(Stack, PagesOfStack * PageSize);

    public int Run(JitterState* state) => _native != null ? _native(state) : JitterLoop.Run(state, new LinuxJitterClock());

    public bool IsPinned(long threadId, int cpu) =>
        CpuMask.Get((int)threadId) is not { } cpus || (cpus.Length == 1 && cpus[0] == cpu);

    private static nint Stack
    {
        [System.Runtime.CompilerServices.MethodImpl(System.Runtime.CompilerServices.MethodImplOptions.NoInlining)]
        get
        {
            byte here;
            return (nint)(((nuint)(&here) & ~(PageSize - 1)) - ((PagesOfStack - 2) * PageSize));
        }
    }

    private static bool TryLock(nint address, nuint bytes, ReasonList reasons)
    {
        if (LibC.mlock(address, bytes) == 0)
        {
            return true;
        }

        reasons.Add(JitterReasons.NotLocked(Marshal.GetLastPInvokeError(), LinuxRights.Read()));
        return false;
    }

    /// <summary>Prevents sleep states with long wake-up times while /dev/cpu_dma_latency is open with the value 0
    /// (Documentation/power/pm_qos_interface.rst).</summary>
    private static FileStream? PreventDeepSleep(ReasonList reasons)
    {
        FileStream? file = null;
        try
        {
            file = new FileStream("/dev/cpu_dma_latency", FileMode.Open, FileAccess.Write, FileShare.ReadWrite, bufferSize: 0);
            file.Write(BitConverter.GetBytes(0));
            return file;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            file?.Dispose();
            reasons.Add(JitterReasons.DeepSleepPossible(
                e is UnauthorizedAccessException ? "Permission denied" : e.Message, LinuxRights.Read()));
            return null;
        }
    }

    private static string? ReadList(string name)
    {
        try
        {
            return File.ReadAllText(CpuFolder + name);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null; // /sys is not mounted
        }
    }
}

internal readonly unsafe struct LinuxJitterClock : IJitterClock
{
    private const ulong NanosecondsPerSecond = 1_000_000_000;

    public ulong Now
    {
        get
        {
            LibC.Timespec time;
            _ = LibC.clock_gettime(LibC.CLOCK_MONOTONIC, &time); // never fails, because every Linux has this clock
            return (ulong)time.TotalNanoseconds;
        }
    }

    public int SleepUntil(ulong due)
    {
        LibC.Timespec time = new() { Seconds = (long)(due / NanosecondsPerSecond), Nanoseconds = (long)(due % NanosecondsPerSecond) };
        return LibC.clock_nanosleep(LibC.CLOCK_MONOTONIC, LibC.TIMER_ABSTIME, &time, null);
    }
}

/// <summary>Selects the CPUs to measure: by default, those on which this process may run. Other CPUs can be requested, such as isolated
/// ones (isolcpus), which no process may use by default. If the cpuset excludes them, pinning a thread to them fails.</summary>
internal static class CpuChoice
{
    /// <summary>Chooses the requested CPUs, or all for null, in ascending order without duplicates. Uses the result of
    /// sched_getaffinity(2), which excludes offline CPUs, and /sys/devices/system/cpu/online and possible, which are null if they cannot be
    /// read.</summary>
    public static bool TryChoose(
        IReadOnlyList<int>? requested,
        int[] allowed,
        string? online,
        string? possible,
        out int[] cpus,
        [NotNullWhen(false)] out string? reason)
    {
        cpus = requested is null ? allowed : [.. requested.Distinct().Order()];
        reason = null;
        foreach (int cpu in cpus.Except(allowed))
        {
            string? why = possible is not null && !Contains(possible, cpu) ? "does not exist"
                : online is not null && !Contains(online, cpu)
                    ? $"is offline: run `echo 1 > /sys/devices/system/cpu/cpu{cpu}/online` as root"
                    : null;
            if (why is null)
            {
                continue;
            }

            reason = $"CPU {cpu} {why}. This process may run on {(allowed.Length == 1 ? "CPU" : "CPUs")} {CpuMask.Format(allowed)}.";
            return false;
        }

        return true;
    }

    /// <summary>Returns <see langword="true"/> if a list in the kernel's format (0-3,8) contains a CPU.</summary>
    public static bool Contains(string list, int cpu)
    {
        foreach (string part in list.Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries))
        {
            string[] ends = part.Split('-');
            if (int.TryParse(ends[0], NumberStyles.None, CultureInfo.InvariantCulture, out int first)
                && int.TryParse(ends[^1], NumberStyles.None, CultureInfo.InvariantCulture, out int last)
                && cpu >= first && cpu <= last)
            {
                return true;
            }
        }

        return false;
    }
}
