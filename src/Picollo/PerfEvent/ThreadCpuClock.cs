using Picollo.Cpu;
using Picollo.Interop.Native;
using Picollo.Timing;

namespace Picollo.PerfEvent;

/// <summary>Reads the CPU time of the thread that created it without a system call, from the CPU's time counter and a page that the kernel
/// maintains for a software event. Linux only. Use it in loops that read very often, and <see cref="CpuUsageReader"/> elsewhere.</summary>
/// <remarks>
/// <para>A reading takes about as long as one of <see cref="CycleClock"/>, whereas <see cref="CpuUsageReader.GetThreadTimeNanoseconds()"/>
/// takes a few hundred nanoseconds. If the kernel does not support it (<see cref="UnavailableReason"/> contains the reason), readings are
/// system calls; nothing else changes.</para>
/// <para><b>Accuracy.</b> The time in the page does not include the time of each switch to the thread, about 4 µs. The kernel writes the
/// page at each switch, so the first reading after a switch, and one reading every 10 ms of CPU time, reads the exact time from the kernel.
/// Between them, the time of the page and the time of the kernel differ by the time of interrupts, which the kernel may not count. Readings
/// never decrease.</para>
/// <para>Only the thread that created the clock may use it; create one per thread. It holds one file descriptor and one page until
/// <see cref="Dispose"/> or the finalizer releases them. It holds neither if readings are system calls. A child created by fork(2) must not
/// use it.</para>
/// <example>
/// <code>
/// using var clock = new ThreadCpuClock();
/// long start = clock.GetNanoseconds();
/// Work();
/// long taken = clock.GetNanoseconds() - start;
/// </code>
/// </example>
/// </remarks>
public sealed unsafe class ThreadCpuClock : IDisposable
{
    // The CPU time after which a thread that is never switched reads the kernel's clock again. A call takes a hundred-thousandth of it.
    internal const long ResyncIntervalNanoseconds = 10_000_000;

    // perf_event_mmap_page: version, compat_version, lock.
    private const int LockOffset = 8;

    // The object, not the ID, because a later thread may get the same ID.
    private readonly Thread _owner = Thread.CurrentThread;
    private readonly SafeHandle? _file;
    private readonly void* _page;
    private readonly delegate* unmanaged[SuppressGCTransition]<void*, ulong*, int> _readPage;
    private readonly Func<long> _readSystem;
    private bool _isDisposed;

    // The lock and the time of the page at the last synchronization, and the offset to add to the time of the page.
    private uint _lock;
    private long _pageStart;
    private long _offset;
    private long _last;

    /// <summary>Creates the clock of the current thread.</summary>
    /// <exception cref="MeasurementUnavailableException">This system does not report the CPU time of a thread.</exception>
    public ThreadCpuClock()
    {
        NativeShim shim = NativeShim.Current;
        _readSystem = CpuUsageReader.GetThreadTimeNanoseconds;
        _readPage = shim.ReadThreadTime;
        PerfEventFile? file = TryOpenPage(shim, out string? reason);
        _page = file is null ? null : file.Page;
        _file = file;
        UnavailableReason = reason;
        _last = _readSystem();
        Start();
        if (!ReadsInUserSpace)
        {
            _file?.Dispose();
        }
    }

    /// <summary>For tests: uses a given page, reader and kernel clock.</summary>
    internal ThreadCpuClock(
        void* page,
        delegate* unmanaged[SuppressGCTransition]<void*, ulong*, int> readPage,
        Func<long> readSystem,
        SafeHandle? file = null)
    {
        _file = file;
        _page = page;
        _readPage = readPage;
        _readSystem = readSystem;
        Start();
    }

    /// <summary>Whether readings need no system call, except for resynchronization.</summary>
    [MemberNotNullWhen(false, nameof(UnavailableReason))]
    public bool ReadsInUserSpace => UnavailableReason is null;

    /// <summary>The reason why readings are system calls, and the remedy; <see langword="null"/> if they are not.</summary>
    public string? UnavailableReason { get; private set; }

    /// <summary>Returns the CPU time of the thread. Does not allocate.</summary>
    /// <returns>The time since the start of the thread, in nanoseconds; never less than the previous reading.</returns>
    /// <exception cref="InvalidOperationException">The current thread did not create the clock.</exception>
    /// <exception cref="ObjectDisposedException">The clock was disposed.</exception>
    public long GetNanoseconds()
    {
        if (_isDisposed || Thread.CurrentThread != _owner)
        {
            ThrowNotUsable();
        }

        ulong page = 0;
        if (ReadsInUserSpace
            && Lock == _lock
            && _readPage(_page, &page) != 0
            && (long)page - _pageStart is >= 0 and < ResyncIntervalNanoseconds)
        {
            _last = Math.Max(_last, (long)page + _offset);
            GC.KeepAlive(this); // keeps the page alive too
            return _last;
        }

        return Synchronize();
    }

    /// <summary>Ends the use of the clock; later readings throw an exception. Closes the descriptor if the thread that created the clock
    /// calls it or has ended. Otherwise, that thread may be reading the page, so the descriptor is closed when the clock is collected, or
    /// when that thread calls this method. Further calls do nothing.</summary>
    public void Dispose()
    {
        _isDisposed = true;
        if (Thread.CurrentThread == _owner || !_owner.IsAlive)
        {
            _file?.Dispose();
        }
    }

    private uint Lock => Volatile.Read(ref *(uint*)((byte*)_page + LockOffset));

    private static PerfEventFile? TryOpenPage(NativeShim shim, out string? reason)
    {
        if (!OperatingSystem.IsLinux())
        {
            reason = "The page with the CPU time of a thread exists only on Linux.";
            return null;
        }

        if (shim.ReadThreadTime == null)
        {
            reason = shim.UnavailableReason ?? "Picollo's native library is missing.";
            return null;
        }

        var definition = new PerfEventDefinition(PerfTypeId.Software, (ulong)PerfSoftwareCounterId.Dummy);
        var attributes = new PerfEventAttributes(definition, PerfEventFlags.ExcludeKernel | PerfEventFlags.ExcludeHypervisor);
        PerfEventFile? file = PerfEventFile.TryOpen(attributes, thread: 0, cpu: -1, leader: null, out int error);
        if (file is null)
        {
            var request = new PerfEventRequest(
                "The page with the CPU time of the thread", definition, CountsKernel: false, IsPinned: false, ThreadId: 0, Cpu: -1);
            reason = PerfEventReasons.Describe(request, error, PerfMachine.Read()).Message;
            return null;
        }

        file.Map();
        if (file.Page == null)
        {
            file.Dispose();
            reason = "The kernel refused to map a page for this user. Raise kernel.perf_event_mlock_kb or the limit of locked memory "
                + "(ulimit -l).";
            return null;
        }

        reason = null;
        return file;
    }

    private void Start()
    {
        ulong page;
        if (UnavailableReason is null && _readPage(_page, &page) == 0)
        {
            UnavailableReason = "The kernel does not write the time to its page (cap_user_time is 0), because its clock is not the CPU's "
                + "counter, as in many virtual machines. If the counter is reliable, boot the kernel with the parameters "
                + "tsc=reliable clocksource=tsc.";
        }

        Synchronize();
    }

    /// <summary>Reads the kernel's clock together with the page.</summary>
    private long Synchronize()
    {
        if (ReadsInUserSpace)
        {
            // Reads the lock first, so that the next reading detects a switch in between. Reads the page last, so that its time can be too
            // late but never too early.
            ulong page = 0;
            _lock = Lock;
            long system = _readSystem();
            bool isRead = _readPage(_page, &page) != 0;
            _pageStart = isRead ? (long)page : long.MaxValue;
            _offset = system - (long)page;
            return _last = Math.Max(_last, system);
        }

        return _last = Math.Max(_last, _readSystem());
    }

    private void ThrowNotUsable()
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        throw new InvalidOperationException("Only the thread that created this clock may use it. Create one per thread.");
    }
}
