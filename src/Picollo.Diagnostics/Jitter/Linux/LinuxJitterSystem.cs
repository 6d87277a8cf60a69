using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;
using Picollo.Cpu.Linux;
using Picollo.Interop.Linux;
using Picollo.Interop.Native;

namespace Picollo.Diagnostics.Linux;

/// <summary>Linux.</summary>
/// <remarks>Rejected: mlockall(2). A .NET process reserves some 256 GB of addresses, which all count, and a user's limit is 8 MB; what the
/// loops touch is known, and locked by itself.</remarks>
internal sealed unsafe class LinuxJitterSystem : IJitterSystem
{
    private const string CpuFolder = "/sys/devices/system/cpu/";

    /// <summary>The native loop is some 500 bytes, and so on one page or two.</summary>
    private const int PagesOfCode = 2;

    /// <summary>The page of the caller's frame, and those below it that the loop's frame, and a signal's on top, may reach.</summary>
    private const int PagesOfStack = 4;

    private static readonly string[] TracingFolders = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"];

    private static readonly nuint PageSize = (nuint)Environment.SystemPageSize;

    private readonly delegate* unmanaged<JitterState*, int> _native;

    public LinuxJitterSystem(NativeShim? shim = null) => _native = (shim ?? NativeShim.Current).RunJitter;

    public bool TryFindCpus(IReadOnlyList<int>? asked, out int[] cpus, [NotNullWhen(false)] out string? reason)
    {
        // The main thread's: the calling one may have been pinned for some other end.
        if (CpuMask.Get(Environment.ProcessId) is not { } allowed)
        {
            (cpus, reason) = ([], JitterReasons.NoAffinity);
            return false;
        }

        return CpuChoice.TryChoose(asked, allowed, ReadList("online"), ReadList("possible"), out cpus, out reason);
    }

    public void* Allocate(nuint bytes, ReasonList reasons)
    {
        nint memory = LibC.mmap(0, bytes, LibC.PROT_READ | LibC.PROT_WRITE, LibC.MAP_PRIVATE | LibC.MAP_ANONYMOUS, -1, 0);
        if (memory == LibC.MAP_FAILED)
        {
            throw new InsufficientMemoryException($"The system refused {bytes} bytes for samples: {Marshal.GetLastPInvokeErrorMessage()}.");
        }

        if (!TryLock(memory, bytes, reasons))
        {
            NativeMemory.Clear((void*)memory, bytes); // present, at least, for now
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
            // For good: locks do not nest, and another meter may run.
            TryLock((nint)((nuint)_native & ~(PageSize - 1)), PagesOfCode * PageSize, reasons);
        }

        return HoldCpusAwake(reasons);
    }

    public JitterTrace OpenTrace() => JitterTrace.Open(TracingFolders);

    public bool TryEnter(int cpu, ref int? priority, ReasonList reasons, out long threadId, [NotNullWhen(false)] out string? reason)
    {
        threadId = LinuxCpuTimes.CurrentThreadId ?? 0;
        int error = CpuMask.Pin(cpu);
        reason = threadId == 0 ? JitterReasons.NoThreadId : error != 0 ? JitterReasons.NotPinned(cpu, error) : null;
        if (reason is not null)
        {
            return false;
        }

        // A thread of ordinary priority is woken up to 50 us late on purpose, for wake-ups to be one (prctl(2)); the least is 1 ns.
        _ = LibC.prctl(LibC.PR_SET_TIMERSLACK, 1, 0, 0, 0);
        TryLock(Stack, PagesOfStack * PageSize, reasons);
        if (priority is { } level)
        {
            error = LibC.pthread_setschedparam(LibC.pthread_self(), LibC.SCHED_FIFO | LibC.SCHED_RESET_ON_FORK, &level);
            if (error != 0)
            {
                reasons.Add(JitterReasons.NotRealTime(level, error));
                priority = null;
            }
        }

        return true;
    }

    // The C library keeps an ended thread's stack for the next one, and what is locked of it.
    public void Leave() => _ = LibC.munlock(Stack, PagesOfStack * PageSize);

    public int Run(JitterState* state) => _native != null ? _native(state) : JitterLoop.Run(state, new LinuxJitterClock());

    public bool IsWhereItWasPut(long threadId, int cpu) =>
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

        reasons.Add(JitterReasons.NotLocked(Marshal.GetLastPInvokeError()));
        return false;
    }

    /// <summary>While /dev/cpu_dma_latency is open, with a 0 written, no CPU goes into a sleep from which it takes time to wake
    /// (Documentation/power/pm_qos_interface.rst).</summary>
    private static FileStream? HoldCpusAwake(ReasonList reasons)
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
            reasons.Add(JitterReasons.MaySleepDeeply(e is UnauthorizedAccessException ? "Permission denied" : e.Message));
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
            return null; // no /sys
        }
    }
}

/// <summary>CLOCK_MONOTONIC.</summary>
internal readonly unsafe struct LinuxJitterClock : IJitterClock
{
    private const ulong NanosecondsPerSecond = 1_000_000_000;

    public ulong Now
    {
        get
        {
            LibC.Timespec time;
            _ = LibC.clock_gettime(LibC.CLOCK_MONOTONIC, &time); // it exists on every Linux
            return (ulong)time.TotalNanoseconds;
        }
    }

    public int SleepUntil(ulong due)
    {
        LibC.Timespec time = new() { Seconds = (long)(due / NanosecondsPerSecond), Nanoseconds = (long)(due % NanosecondsPerSecond) };
        return LibC.clock_nanosleep(LibC.CLOCK_MONOTONIC, LibC.TIMER_ABSTIME, &time, null);
    }
}
