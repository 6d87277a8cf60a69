using System.Diagnostics.CodeAnalysis;
using Picollo.Cpu;
using Picollo.Interop.Native;
using Picollo.Timing;

namespace Picollo.PerfEvent;

/// <summary>The CPU time of the thread that makes it, read without a system call: from a page that the kernel keeps for one of its software
/// events, and the CPU's time counter. Linux. Use it in loops that read very often, and <see cref="CpuUsageReader"/> elsewhere.</summary>
/// <remarks>
/// <para>For code that asks very often: a reading takes about as long as one of <see cref="CycleClock"/>, where
/// <see cref="CpuUsageReader.GetThreadTimeNanoseconds()"/> takes some hundreds of nanoseconds. Where the kernel does not offer it
/// (<see cref="UnavailableReason"/> says why) readings are system calls, and everything else is the same.</para>
/// <para><b>Accuracy.</b> The page goes without the time that each switch to the thread takes, some 4 µs. The kernel writes
/// the page at each switch, so the first reading after one asks the kernel for the exact time, and so does one every
/// 10 ms of CPU time; between them the page's time and the kernel's differ by what interrupts take,
/// as the kernel may not count that. Readings never go back.</para>
/// <para>For the thread that made it only; each thread makes its own. It holds one descriptor and one page until
/// <see cref="Dispose"/>, or the finalizer; none where readings are system calls. A child made by fork(2) must not use it.</para>
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
    // How often a thread that is never switched asks the kernel, in its CPU time. A call is a hundred-thousandth of it.
    internal const long ResyncIntervalNanoseconds = 10_000_000;

    // perf_event_mmap_page: version, compat_version, lock.
    private const int LockOffset = 8;

    // The object and not its number, which a later thread gets again.
    private readonly Thread _owner = Thread.CurrentThread;
    private readonly PerfEventFile? _file;
    private readonly void* _page;
    private readonly delegate* unmanaged[SuppressGCTransition]<void*, ulong*, int> _readPage;
    private readonly Func<long> _readSystem;
    private bool _isDisposed;

    // The page as it was when both clocks were read last, and what to add to the page's time.
    private uint _lock;
    private long _pageStart;
    private long _offset;
    private long _last;

    /// <summary>Makes the current thread's clock.</summary>
    /// <exception cref="MeasurementUnavailableException">This system does not tell a thread's CPU time at all.</exception>
    public ThreadCpuClock()
    {
        NativeShim shim = NativeShim.Current;
        _readSystem = CpuUsageReader.GetThreadTimeNanoseconds;
        _readPage = shim.ReadThreadTime;
        _file = TryOpenPage(shim, out string? reason);
        _page = _file is null ? null : _file.Page;
        UnavailableReason = reason;
        _last = _readSystem();
        Start();
        if (!ReadsInUserSpace)
        {
            _file?.Dispose();
        }
    }

    /// <summary>For tests: a page, what reads it and the kernel's clock.</summary>
    internal ThreadCpuClock(void* page, delegate* unmanaged[SuppressGCTransition]<void*, ulong*, int> readPage, Func<long> readSystem)
    {
        _page = page;
        _readPage = readPage;
        _readSystem = readSystem;
        Start();
    }

    /// <summary>Whether readings need no system call, but for the resynchronisations.</summary>
    [MemberNotNullWhen(false, nameof(UnavailableReason))]
    public bool ReadsInUserSpace => UnavailableReason is null;

    /// <summary>Why readings are system calls, and what can be done about it; null where they are not.</summary>
    public string? UnavailableReason { get; private set; }

    /// <summary>CPU time of the thread. Allocates nothing.</summary>
    /// <returns>Nanoseconds since the thread began; never less than the reading before.</returns>
    /// <exception cref="InvalidOperationException">This is not the thread that made the clock.</exception>
    /// <exception cref="ObjectDisposedException">After <see cref="Dispose"/>.</exception>
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
            GC.KeepAlive(this); // and the page with it
            return _last;
        }

        return Synchronize();
    }

    /// <summary>Closes the descriptor. Further calls do nothing.</summary>
    public void Dispose()
    {
        _isDisposed = true;
        _file?.Dispose();
    }

    private uint Lock => Volatile.Read(ref *(uint*)((byte*)_page + LockOffset));

    private static PerfEventFile? TryOpenPage(NativeShim shim, out string? reason)
    {
        if (!OperatingSystem.IsLinux())
        {
            reason = "The page with a thread's CPU time exists on Linux only.";
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
                "The page with the thread's CPU time", definition, CountsKernel: false, IsPinned: false, ThreadId: 0, Cpu: -1);
            reason = PerfEventReasons.Describe(request, error, PerfMachine.Read());
            return null;
        }

        file.Map();
        if (file.Page == null)
        {
            file.Dispose();
            reason = "The kernel maps no page for this user: raise kernel.perf_event_mlock_kb or the limit of locked memory (ulimit -l).";
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
            UnavailableReason = "The kernel puts no time into its page (cap_user_time is 0): its clock is not the CPU's counter, as in "
                + "many virtual machines; where the counter can be trusted, the kernel's command line says so with tsc=reliable "
                + "clocksource=tsc.";
        }

        Synchronize();
    }

    /// <summary>Reads the kernel's clock, and the page beside it.</summary>
    private long Synchronize()
    {
        if (ReadsInUserSpace)
        {
            // The lock first: a switch in between shows at the next reading. The page last: what passes in between makes its time
            // late, never early.
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
        throw new InvalidOperationException("This clock is of the thread that made it: each thread makes its own.");
    }
}
