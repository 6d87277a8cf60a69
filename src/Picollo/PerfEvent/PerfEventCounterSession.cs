using Picollo.Cpu;
using Picollo.Cpu.Linux;
using Picollo.Interop.Linux;
using Picollo.Interop.Native;

namespace Picollo.PerfEvent;

/// <summary>Counters of the CPU and of the kernel (perf_event_open(2)) for a thread, a process or a CPU. Read them around code, and record
/// the counts of the code into a histogram for each counter. Linux only.</summary>
/// <remarks>
/// <para><b>Reading.</b> If the kernel permits user code to read the counters (x64 by default, arm64 with
/// <c>kernel.perf_user_access=1</c>), and the session counts the reading thread, a read takes tens of nanoseconds and no system call. If
/// one of the counters cannot currently be read in user space, the kernel reads all of them, each group in one call. This is decided for
/// each read. If an administrator disables user-space reads while sessions are open, a read ends the process with a signal. To prevent
/// this, use <see cref="PerfEventCounterSessionFactory.WithUserSpaceReads"/>.</para>
/// <para><b>Correctness.</b> Counts have 64 bits, differences are never below 0, and the events caused by reading are measured once and
/// subtracted. The counters are never reset in the kernel; <see cref="Reset"/> moves a baseline.</para>
/// <para><b>Target.</b> The session counts the target of the factory, not the reading thread. The default target is the thread that created
/// the session. If another thread reads it (in <see cref="Measure"/>, or after an <c>await</c> that resumed on another thread), the counts
/// are still those of the creating thread. To count several threads, create a session on each, or one for the process
/// (<see cref="PerfEventCounterSessionFactory.WithProcess"/>), which counts them together.</para>
/// <para><b>Thread safety.</b> Any number of threads may use <see cref="Measure"/> concurrently. Use all other members, and
/// <see cref="Dispose"/> together with any member, from one thread at a time. A child process created by fork(2) without exec must not use
/// the session: it shares the descriptors, and the pages show the counters of the parent.</para>
/// <para><see cref="Dispose"/> or the finalizer closes the descriptors.</para>
/// <example>
/// <code>
/// using var session = PerfEventCounterSession.Factory.WithFixedCounters().Create();
/// using (session.Measure())
/// {
///     Work();
/// }
///
/// session.Counters.Instructions!.Histogram.GetSummary().PrettyPrint("Instructions");
/// </code>
/// </example>
/// </remarks>
public sealed partial class PerfEventCounterSession : IDisposable
{
    internal const string NotLinux = "perf_event counters exist only on Linux.";

    /// <summary>The number of calibration rounds. The overhead is their minimum, because an interrupt hits about one round in a few
    /// hundred.</summary>
    private const int CalibrationRounds = 64;

    // The starts of the running measurements of this thread, one row of readings each. All sessions share one stack.
    [ThreadStatic]
    private static PerfReading[]? _starts;

    [ThreadStatic]
    private static int _startsUsed;

    private readonly List<PerfEventGroup> _groups;
    private readonly PerfPages? _pages;
    private readonly bool _countsReader;
    private readonly ulong[] _userOverhead;
    private readonly ulong[] _regionOverhead;
    private readonly ulong[] _callOverhead;
    private bool _isDisposed;

    private PerfEventCounterSession(
        PerfEventSettings settings,
        List<PerfEventGroup> groups,
        PerfEventCounter[] counters,
        IReadOnlyDictionary<string, MeasurementUnavailableException> unavailable,
        PerfPages? pages,
        bool countsReader)
    {
        (Pid, Cpu) = (settings.ProcessId ?? settings.ThreadId, settings.Cpu);
        _groups = groups;
        _pages = pages;
        _countsReader = countsReader;
        _userOverhead = new ulong[counters.Length];
        _regionOverhead = new ulong[counters.Length];
        _callOverhead = new ulong[counters.Length];
        Counters = new PerfEventCounters(counters);
        UnavailableCounters = unavailable;
        var capabilities = new PerfPageCapabilities[counters.Length];
        foreach ((PerfEventFile file, int counter) in groups.SelectMany(group => group.Members))
        {
            capabilities[counter] = file.Capabilities;
        }

        for (int i = 0; i < counters.Length; i++)
        {
            counters[i].Join(capabilities[i]);
        }
    }

    /// <summary>The default factory. It counts user code of the calling thread on any CPU, and has no counters.</summary>
    public static PerfEventCounterSessionFactory Factory { get; } = new(new PerfEventSettings());

    /// <summary>The ID of the counted thread or process; 0 for the thread that created the session (or its process), -1 for everything on
    /// <see cref="Cpu"/>.</summary>
    public int Pid { get; }

    /// <summary>The number of the CPU to which counting is limited; -1 for any CPU.</summary>
    public int Cpu { get; }

    /// <summary>The counters, in the order in which they were added.</summary>
    public PerfEventCounters Counters { get; }

    /// <summary>The names of the omitted counters and the reasons, in the order in which the counters were added. The names of a session
    /// are unique. Empty unless <see cref="PerfEventCounterSessionFactory.WithOptional"/> was used.</summary>
    public IReadOnlyDictionary<string, MeasurementUnavailableException> UnavailableCounters { get; }

    /// <summary>Whether all counters have <see cref="PerfEventCounter.HasUserRdpmc"/>.</summary>
    public bool HasUserRdpmc => Counters.All(counter => counter.HasUserRdpmc);

    /// <summary>Whether all counters have <see cref="PerfEventCounter.HasUserTime"/>.</summary>
    public bool HasUserTime => Counters.All(counter => counter.HasUserTime);

    /// <summary>Whether the last <see cref="Read"/> needed no system call.</summary>
    public bool WasReadInUserSpace { get; private set; }

    /// <summary>Reads all counters. The previous reading is kept for the deltas. Does not allocate.</summary>
    /// <param name="forceSyscallRead">Whether to always read with a system call: all counters of a group at the same moment, in a few
    /// hundred nanoseconds.</param>
    /// <exception cref="ObjectDisposedException">The session was disposed.</exception>
    /// <exception cref="MeasurementUnavailableException">The kernel has put a pinned group into the error state, because the CPU had no
    /// room for it.</exception>
    [SkipLocalsInit]
    public void Read(bool forceSyscallRead = false)
    {
        Span<PerfReading> readings = stackalloc PerfReading[PerfEventGroup.MaxCounters];
        bool byUser = ReadInto(readings, forceSyscallRead);
        ulong[] overhead = OverheadBetween(WasReadInUserSpace, byUser);
        WasReadInUserSpace = byUser;
        for (int i = 0; i < Counters.Count; i++)
        {
            Counters[i].Update(readings[i], overhead[i]);
        }
    }

    /// <summary>Records each counter into its histogram. Does not allocate.</summary>
    /// <param name="deltas"><see langword="true"/> for the scaled <see cref="PerfEventCounter.Delta"/> between the last two reads;
    /// <see langword="false"/> for <see cref="PerfEventCounter.Value"/>.</param>
    /// <exception cref="ObjectDisposedException">The session was disposed.</exception>
    public void Record(bool deltas = true)
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        foreach (PerfEventCounter counter in Counters.AsSpan())
        {
            counter.Histogram.Record(deltas ? counter.ScaledDelta : counter.Value);
        }
    }

    /// <summary>Clears the histograms and restarts <see cref="PerfEventCounter.Value"/> at 0. The counters of the kernel continue. The
    /// first call allocates.</summary>
    /// <exception cref="ObjectDisposedException">The session was disposed.</exception>
    /// <exception cref="MeasurementUnavailableException">See <see cref="Read"/>.</exception>
    public void Reset()
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        foreach (PerfEventCounter counter in Counters.AsSpan())
        {
            counter.Histogram.Reset();
        }

        // This is last, because the first reset allocates memory, and its page faults must not count as the caller's.
        Begin();
    }

    /// <summary>Measures a region of code: <c>using (session.Measure()) { … }</c> records the counts of each counter in the region into its
    /// histogram, minus the overhead of the measurement. The counts are those of the session's target, regardless of the measuring thread.
    /// Regions nest, separately on each thread; the overhead of an inner region counts in the outer one. A region cannot contain an
    /// <c>await</c>: the compiler rejects it. <see cref="PerfEventCounter.Value"/> and the deltas do not change. Costs two reads, and
    /// allocates only when a thread first reaches a nesting depth.</summary>
    /// <returns>A region to dispose on this thread, innermost first.</returns>
    /// <exception cref="ObjectDisposedException">The session was disposed.</exception>
    /// <exception cref="MeasurementUnavailableException">See <see cref="Read"/>.</exception>
    public PerfMeasurement Measure()
    {
        int start = _startsUsed;
        int end = start + Counters.Count;
        if (_starts is null || _starts.Length < end)
        {
            Array.Resize(ref _starts, Math.Max(2 * end, PerfEventGroup.MaxCounters));
        }

        // Reading is last, because all code after it is counted.
        bool byUser = ReadInto(_starts.AsSpan(start, Counters.Count), forceSyscallRead: false);
        _startsUsed = end;
        return new PerfMeasurement(this, start, byUser);
    }

    /// <summary>Starts or resumes counting.</summary>
    /// <exception cref="ObjectDisposedException">The session was disposed.</exception>
    /// <exception cref="MeasurementUnavailableException">The kernel refused the request.</exception>
    public void Enable() => Control(LibC.PERF_EVENT_IOC_ENABLE);

    /// <summary>Stops counting. The counts remain.</summary>
    /// <inheritdoc cref="Enable" path="/exception"/>
    public void Disable() => Control(LibC.PERF_EVENT_IOC_DISABLE);

    /// <summary>Closes the counters. The histograms remain. Further calls do nothing.</summary>
    public void Dispose()
    {
        _isDisposed = true;
        _groups.ForEach(group => group.Dispose());
    }

    /// <summary>Opens the counters. <paramref name="pagesOf"/> creates the user-space reader from the groups and the number of counters, or
    /// returns null; tests use it to simulate pages.</summary>
    internal static PerfEventCounterSession Open(
        PerfEventSettings settings, PerfEventSources sources, Func<List<PerfEventGroup>, int, PerfPages?>? pagesOf = null)
    {
        if (settings.ThreadId == CpuUsageReader.GetThreadId())
        {
            // Whether the thread is specified by its ID or by 0, it reads its own counters.
            settings = settings with { ThreadId = 0 };
        }

        var (groups, counters, unavailable) = new PerfEventOpener(settings, sources).Open();
        bool countsReader = settings.IsOwnThread || settings.ProcessId is 0 || settings.ProcessId == Environment.ProcessId;
        PerfPages? pages = settings.ReadsInUserSpace ? (pagesOf ?? PagesOf)(groups, counters.Count) : null;
        var session = new PerfEventCounterSession(settings, groups, [.. counters], unavailable, pages, countsReader);
        try
        {
            // The calibration happens here, not when counting is first enabled, so that the values do not include it.
            if (settings.IsEnabled)
            {
                session.Calibrate();
            }
            else if (session._countsReader)
            {
                session.Enable();
                session.Calibrate();
                session.Disable();
            }

            session.Begin();
        }
        catch
        {
            session.Dispose();
            throw;
        }

        return session;
    }

    [SkipLocalsInit]
    internal void EndMeasurement(int start, bool startedByUser)
    {
        Span<PerfReading> readings = stackalloc PerfReading[PerfEventGroup.MaxCounters];
        _startsUsed = Math.Min(_startsUsed, start); // it is already lower if an outer region was ended first
        ReadOnlySpan<PerfReading> starts = _starts.AsSpan(start, Counters.Count);
        bool byUser = ReadInto(readings, forceSyscallRead: false, starts);
        ulong[] overhead = startedByUser || byUser ? _regionOverhead : _callOverhead;
        for (int i = 0; i < starts.Length; i++)
        {
            Counters[i].Histogram.Record(PerfMath.Delta(starts[i], readings[i], overhead[i]));
        }
    }

    private static unsafe PerfPages? PagesOf(List<PerfEventGroup> groups, int counters)
    {
        nint[] pages = new nint[counters];
        foreach ((PerfEventFile file, int counter) in groups.SelectMany(group => group.Members))
        {
            pages[counter] = (nint)file.Page;
        }

        NativeShim shim = NativeShim.Current;
        return counters > 0 && !pages.Contains(0) && shim.ReadPerfCounters != null
            ? new PerfPages(pages, shim.ReadPerfCounters, shim.ReadPerfCounts)
            : null;
    }

    /// <summary>Reads all counters, in user space if permitted and possible. Returns whether they were read in user space. With
    /// <paramref name="starts"/>, the reading is the end of the region with these start readings.</summary>
    private bool ReadInto(Span<PerfReading> readings, bool forceSyscallRead, ReadOnlySpan<PerfReading> starts = default)
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        bool byUser = !forceSyscallRead && _pages is not null && _pages.TryRead(readings, starts);
        if (!byUser)
        {
            readings[..Counters.Count].Clear();
            foreach (PerfEventGroup group in CollectionsMarshal.AsSpan(_groups))
            {
                if (!group.TryRead(readings))
                {
                    ThrowNotRunning();
                }
            }
        }

        // The files own pages and descriptors, and are finalized when the session is unreachable.
        GC.KeepAlive(this);
        return byUser;
    }

    /// <summary>Returns the overhead between two readings of these kinds; the smaller one if the kinds differ.</summary>
    private ulong[] OverheadBetween(bool firstByUser, bool secondByUser) => firstByUser || secondByUser ? _userOverhead : _callOverhead;

    /// <summary>Restarts values and deltas at 0. Separate from the histograms, because the first reset of a histogram triples its
    /// memory.</summary>
    [SkipLocalsInit]
    private void Begin()
    {
        Span<PerfReading> readings = stackalloc PerfReading[PerfEventGroup.MaxCounters];
        WasReadInUserSpace = ReadInto(readings, forceSyscallRead: false);
        ulong[] overhead = OverheadBetween(WasReadInUserSpace, WasReadInUserSpace);
        for (int i = 0; i < Counters.Count; i++)
        {
            Counters[i].Begin(readings[i], overhead[i]);
        }
    }

    /// <summary>Measures the overhead of reading, for each kind of read. Does nothing if the session counts another thread.</summary>
    private void Calibrate()
    {
        if (!_countsReader)
        {
            return;
        }

        Calibrate(_callOverhead, forceSyscallRead: true);
        if (_pages is not null)
        {
            Calibrate(_userOverhead, forceSyscallRead: false);
            Calibrate(_regionOverhead, forceSyscallRead: false, isRegion: true);
        }
    }

    /// <summary>Uses readings of this kind only. If the pages cannot currently be read, the overhead is 0.</summary>
    private void Calibrate(ulong[] overhead, bool forceSyscallRead, bool isRegion = false)
    {
        int rounds = 0;
        Span<PerfReading> first = stackalloc PerfReading[PerfEventGroup.MaxCounters];
        Span<PerfReading> second = stackalloc PerfReading[PerfEventGroup.MaxCounters];
        for (int round = 0; round < CalibrationRounds; round++)
        {
            bool firstByUser = ReadInto(first, forceSyscallRead);
            bool secondByUser = ReadInto(second, forceSyscallRead, isRegion ? first : default);
            if (firstByUser == forceSyscallRead || secondByUser == forceSyscallRead)
            {
                continue;
            }

            for (int i = 0; i < overhead.Length; i++)
            {
                ulong counted = PerfMath.Delta(first[i], second[i], overhead: 0);
                overhead[i] = rounds == 0 ? counted : Math.Min(overhead[i], counted);
            }

            rounds++;
        }
    }

    private void Control(nuint request)
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        foreach (PerfEventGroup group in _groups)
        {
            if (!group.TryControl(request))
            {
                int error = Marshal.GetLastPInvokeError();
                throw new MeasurementUnavailableException(
                    $"The kernel refused to enable or disable the counters (errno {error}).", LinuxReasons.CauseOf(error), error);
            }
        }

        GC.KeepAlive(this);
    }

    private void ThrowNotRunning() => throw new MeasurementUnavailableException(
        $"The counters ({string.Join(", ", Counters.Select(counter => counter.Name))}) cannot be read. The CPU had no room for a pinned "
        + "group, because the NMI watchdog or another profiler also uses its counters. Use fewer counters, or WithPinned(false).",
        MeasurementUnavailableCause.LimitReached);
}

/// <summary>A region of code that <see cref="PerfEventCounterSession.Measure"/> started. Its end records the counts of each counter. Use it
/// only in a <c>using</c> statement.</summary>
public readonly ref struct PerfMeasurement : IDisposable
{
    private readonly PerfEventCounterSession? _session; // null in the default value, which does nothing
    private readonly int _start;
    private readonly bool _byUser;

    internal PerfMeasurement(PerfEventCounterSession session, int start, bool byUser) =>
        (_session, _start, _byUser) = (session, start, byUser);

    /// <summary>Ends the region.</summary>
    /// <exception cref="ObjectDisposedException">The session was disposed in the meantime.</exception>
    /// <exception cref="MeasurementUnavailableException">The kernel permanently removed the counters from the CPU (see
    /// <see cref="PerfEventCounterSession.Read"/>).</exception>
    public void Dispose() => _session?.EndMeasurement(_start, _byUser);
}
