using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Picollo.Cpu;
using Picollo.Interop.Linux;
using Picollo.Interop.Native;

namespace Picollo.PerfEvent;

/// <summary>Counters of the CPU and of the kernel (perf_event_open(2)) on a thread, a process or a CPU: read them around code, and record
/// what the code took into a histogram each. Linux.</summary>
/// <remarks>
/// <para><b>Reading.</b> Where the kernel lets user code read the counters (x64 by default, arm64 with
/// <c>kernel.perf_user_access=1</c>), and the thread that reads is the one that is counted, a read takes some tens of nanoseconds and no
/// system call; where one of the counters cannot be read so at the moment, all are read by the kernel, a group in one
/// call. Which it is, is decided anew at every read. Where such reads are disabled while sessions are open, a read ends the process with a
/// signal; <see cref="PerfEventCounterSessionFactory.WithUserSpaceReads"/> prevents that.</para>
/// <para><b>Correctness.</b> Nothing wraps: counts are 64 bits, differences stop at 0, what reading itself counts is found out once and
/// taken off. The counters are never reset in the kernel; <see cref="Reset"/> moves a baseline.</para>
/// <para><b>Whose counts.</b> Those of the target that the factory was given, and not of the thread that reads: by default the thread that
/// made the session. Read on another thread (by <see cref="Measure"/>, or after an <c>await</c> that went on elsewhere) it still
/// tells what the one that made it did. For several threads, make a session on each, or one of the process
/// (<see cref="PerfEventCounterSessionFactory.WithProcess"/>), which counts them all together.</para>
/// <para><b>Threads.</b> <see cref="Measure"/> may be used by any number of threads at once. All else, and <see cref="Dispose"/> beside
/// anything, is for one thread at a time. A child process made by fork(2) without exec must not use the session: it shares the descriptors,
/// and the pages show the parent's counters.</para>
/// <para>Descriptors are closed by <see cref="Dispose"/>, or by the finalizer.</para>
/// <example>
/// <code>
/// using var session = PerfEventCounterSession.Factory.WithFixedCounters().Create();
/// using (session.Measure())
/// {
///     Work();
/// }
///
/// session.Counters.Hardware.Instructions!.Histogram.GetSummary().PrettyPrint("Instructions");
/// </code>
/// </example>
/// </remarks>
public sealed partial class PerfEventCounterSession : IDisposable
{
    internal const string NotLinux = "perf_event counters exist on Linux only.";

    /// <summary>The least of so many is taken for what reading counts: an interrupt hits one of some hundreds.</summary>
    private const int CalibrationRounds = 64;

    // Where the measurements under way on this thread began, a row of readings each, those of all sessions in one stack.
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
        List<UnavailablePerfCounter> unavailable,
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
        UnavailableCounters = unavailable.AsReadOnly();
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

    /// <summary>The default factory: the calling thread on any CPU, user code, no counters yet.</summary>
    public static PerfEventCounterSessionFactory Factory { get; } = new(new PerfEventSettings());

    /// <summary>The ID of the counted thread or process; 0 for the thread that created the session (or its process), -1 for
    /// everything that runs on <see cref="Cpu"/>.</summary>
    public int Pid { get; }

    /// <summary>The number of the only CPU to count on; -1 for any.</summary>
    public int Cpu { get; }

    /// <summary>The counters, in the order in which they were named.</summary>
    public PerfEventCounters Counters { get; }

    /// <summary>The counters that were left out, and why; empty unless
    /// <see cref="PerfEventCounterSessionFactory.WithOptional"/>.</summary>
    public IReadOnlyList<UnavailablePerfCounter> UnavailableCounters { get; }

    /// <summary>Whether all counters have <see cref="PerfEventCounter.HasUserRdpmc"/>.</summary>
    public bool HasUserRdpmc => Counters.All(counter => counter.HasUserRdpmc);

    /// <summary>Whether all counters have <see cref="PerfEventCounter.HasUserTime"/>.</summary>
    public bool HasUserTime => Counters.All(counter => counter.HasUserTime);

    /// <summary>Whether the last <see cref="Read"/> needed no system call.</summary>
    public bool WasReadInUserSpace { get; private set; }

    /// <summary>Reads all counters; the reading before stays for the deltas. Allocates nothing.</summary>
    /// <param name="forceSyscallRead">Whether to ask the kernel in any case: all counters of a group at one moment, some hundreds of
    /// nanoseconds.</param>
    /// <exception cref="ObjectDisposedException">After <see cref="Dispose"/>.</exception>
    /// <exception cref="MeasurementUnavailableException">The kernel has put a pinned group into its error state: the CPU had no room for
    /// it.</exception>
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

    /// <summary>Records each counter into its histogram. Allocates nothing.</summary>
    /// <param name="deltas">Whether <see cref="PerfEventCounter.Delta"/>, scaled, between the last two reads, or
    /// <see cref="PerfEventCounter.Value"/>.</param>
    /// <exception cref="ObjectDisposedException">After <see cref="Dispose"/>.</exception>
    public void Record(bool deltas = true)
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        foreach (PerfEventCounter counter in Counters.AsSpan())
        {
            counter.Histogram.Record(deltas ? counter.ScaledDelta : counter.Value);
        }
    }

    /// <summary>Empties the histograms and lets <see cref="PerfEventCounter.Value"/> begin at 0 now. The kernel's counters run on. The
    /// first one allocates.</summary>
    /// <exception cref="ObjectDisposedException">After <see cref="Dispose"/>.</exception>
    /// <exception cref="MeasurementUnavailableException">As for <see cref="Read"/>.</exception>
    public void Reset()
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        foreach (PerfEventCounter counter in Counters.AsSpan())
        {
            counter.Histogram.Reset();
        }

        // Last: the memory that the first reset takes has page faults, which are not the caller's.
        Begin();
    }

    /// <summary>Measures a region of code: <c>using (session.Measure()) { … }</c> records what each counter counts in it into its
    /// histogram, less what measuring itself counts: what the session's target does meanwhile, whichever thread measures. Regions nest, on
    /// each thread by itself; what an inner one costs counts in the outer. There is no <c>await</c> in one: the compiler refuses it. Leaves
    /// <see cref="PerfEventCounter.Value"/> and the deltas as they are. Two reads; allocates nothing once the thread has nested as
    /// deep.</summary>
    /// <returns>To be disposed, on this thread, innermost first.</returns>
    /// <exception cref="ObjectDisposedException">After <see cref="Dispose"/>.</exception>
    /// <exception cref="MeasurementUnavailableException">As for <see cref="Read"/>.</exception>
    public PerfMeasurement Measure()
    {
        int start = _startsUsed;
        int end = start + Counters.Count;
        if (_starts is null || _starts.Length < end)
        {
            Array.Resize(ref _starts, Math.Max(2 * end, PerfEventGroup.MaxCounters));
        }

        // Reading comes last: what stands after it is counted.
        bool byUser = ReadInto(_starts.AsSpan(start, Counters.Count), forceSyscallRead: false);
        _startsUsed = end;
        return new PerfMeasurement(this, start, byUser);
    }

    /// <summary>Starts counting, or goes on.</summary>
    /// <exception cref="ObjectDisposedException">After <see cref="Dispose"/>.</exception>
    /// <exception cref="MeasurementUnavailableException">The kernel refuses.</exception>
    public void Enable() => Control(LibC.PERF_EVENT_IOC_ENABLE);

    /// <summary>Stops counting; the counts stay.</summary>
    /// <inheritdoc cref="Enable" path="/exception"/>
    public void Disable() => Control(LibC.PERF_EVENT_IOC_DISABLE);

    /// <summary>Closes the counters; the histograms stay. Further calls do nothing.</summary>
    public void Dispose()
    {
        _isDisposed = true;
        _groups.ForEach(group => group.Dispose());
    }

    /// <summary>Opens the counters. <paramref name="pagesOf"/> makes the reader in user space from the groups and the number of counters,
    /// or null; tests simulate pages by it.</summary>
    internal static PerfEventCounterSession Open(
        PerfEventSettings settings, PerfEventSources sources, Func<List<PerfEventGroup>, int, PerfPages?>? pagesOf = null)
    {
        if (settings.ThreadId == CpuUsageReader.GetThreadId())
        {
            // By its number or by 0, it is the thread that reads its counters itself.
            settings = settings with { ThreadId = 0 };
        }

        (List<PerfEventGroup> groups, List<PerfEventCounter> counters, List<UnavailablePerfCounter> unavailable) =
            new PerfEventOpener(settings, sources).Open();
        bool countsReader = settings.IsOwnThread || settings.ProcessId is 0 || settings.ProcessId == Environment.ProcessId;
        PerfPages? pages = settings.ReadsInUserSpace ? (pagesOf ?? PagesOf)(groups, counters.Count) : null;
        var session = new PerfEventCounterSession(settings, groups, [.. counters], unavailable, pages, countsReader);
        try
        {
            // Here, and not when it is first enabled: what that counts would be in the values.
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
        _startsUsed = Math.Min(_startsUsed, start); // less already where an outer region was ended before
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

    /// <summary>Reads all counters, in user space if that may be and can be, and says whether it was. With
    /// <paramref name="starts"/>, as the end of the region that these readings began.</summary>
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

        // Pages and descriptors go with the session's files, when nobody refers to them any more.
        GC.KeepAlive(this);
        return byUser;
    }

    /// <summary>What two readings of these kinds count between them; of different kinds, the smaller.</summary>
    private ulong[] OverheadBetween(bool firstByUser, bool secondByUser) => firstByUser || secondByUser ? _userOverhead : _callOverhead;

    /// <summary>Lets values and deltas begin at 0 now. Apart from the histograms: the first reset of one triples its memory.</summary>
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

    /// <summary>Finds what reading itself counts, for each way to read. Nothing where it is another thread that is counted.</summary>
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

    /// <summary>By readings of this way alone: where the pages cannot be read just now, nothing is taken off later.</summary>
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
                throw new MeasurementUnavailableException($"The kernel refused to switch the counters on or off (errno {error}).");
            }
        }

        GC.KeepAlive(this);
    }

    private void ThrowNotRunning() => throw new MeasurementUnavailableException(
        $"The counters ({string.Join(", ", Counters.Select(counter => counter.Name))}) cannot be read: the CPU had no room for a pinned "
        + "group, because others use its counters too (the NMI watchdog, another profiler); use fewer, or WithPinned(false).");
}

/// <summary>A region of code under <see cref="PerfEventCounterSession.Measure"/>; ending it records what each counter counted in it.
/// For a <c>using</c> statement and nothing else.</summary>
public readonly ref struct PerfMeasurement : IDisposable
{
    private readonly PerfEventCounterSession? _session; // none in default, which ends nothing
    private readonly int _start;
    private readonly bool _byUser;

    internal PerfMeasurement(PerfEventCounterSession session, int start, bool byUser) =>
        (_session, _start, _byUser) = (session, start, byUser);

    /// <summary>Ends the region.</summary>
    /// <exception cref="ObjectDisposedException">The session was disposed meanwhile.</exception>
    /// <exception cref="MeasurementUnavailableException">The kernel took the counters off the CPU for good (see
    /// <see cref="PerfEventCounterSession.Read"/>).</exception>
    public void Dispose() => _session?.EndMeasurement(_start, _byUser);
}
