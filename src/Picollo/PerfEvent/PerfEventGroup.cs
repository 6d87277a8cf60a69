using Microsoft.Win32.SafeHandles;
using Picollo.Interop.Linux;

namespace Picollo.PerfEvent;

/// <summary>Counters on one thread or CPU that the kernel schedules together and reads in one call.</summary>
/// <param name="isGroup">Whether the counters are read together.</param>
/// <param name="promptReader"><see cref="PerfEventSettings.PromptReader"/>.</param>
internal sealed unsafe class PerfEventGroup(bool isGroup, Thread? promptReader = null) : IDisposable
{
    /// <summary>The kernel's limit for reading a group (perf_event_validate_size); no PMU has a tenth as many counters.</summary>
    public const int MaxCounters = 64;

    private readonly List<PerfEventFile> _files = [];
    private readonly List<int> _counters = [];

    public PerfEventFile? Leader => _files.Count > 0 ? _files[0] : null;

    public int Count => _files.Count;

    /// <summary>Adds a file, which the group now owns, for the counter with an index in the session.</summary>
    public void Add(PerfEventFile file, int counter)
    {
        _files.Add(file);
        _counters.Add(counter);
    }

    /// <summary>Whether a read by the calling thread is short enough that garbage collections can wait for it.</summary>
    internal bool IsReadPrompt => promptReader == Thread.CurrentThread;

    public IEnumerable<(PerfEventFile File, int Counter)> Members => _files.Zip(_counters);

    /// <summary>Adds the counts of this group to those of the session, with one read(2).</summary>
    /// <returns>False if the group is in an error state: it is pinned, and the CPU had no room for it.</returns>
    [SkipLocalsInit]
    public bool TryRead(Span<PerfReading> sums)
    {
        ulong* buffer = stackalloc ulong[3 + MaxCounters];
        nint length = (isGroup ? 3 + Count : 3) * sizeof(ulong);
        int file = _files[0].Number;
        nint read = IsReadPrompt ? LibC.read_counter(file, buffer, (nuint)length) : LibC.read(file, buffer, length);
        if (read != length)
        {
            return false;
        }

        AddCounts(new(buffer, 3 + MaxCounters), sums);
        return true;
    }

    /// <summary>Adds the result of read(2). For a group: {count of counters, enabled, running, one value each}; for a single counter:
    /// {value, enabled, running}.</summary>
    internal void AddCounts(ReadOnlySpan<ulong> read, Span<PerfReading> sums)
    {
        if (!isGroup)
        {
            sums[_counters[0]].Add(read[0], read[1], read[2]);
            return;
        }

        Debug.Assert(read[0] == (ulong)Count, "The kernel's group is the one that was opened.");
        for (int i = 0; i < Count; i++)
        {
            sums[_counters[i]].Add(read[3 + i], read[1], read[2]);
        }
    }

    public bool TryControl(nuint request) =>
        LibC.ioctl(_files[0].Number, request, (void*)(isGroup ? LibC.PERF_IOC_FLAG_GROUP : 0)) == 0;

    public void Dispose() => _files.ForEach(file => file.Dispose());
}

/// <summary>The used bits of <c>perf_event_mmap_page.capabilities</c> (include/uapi/linux/perf_event.h).</summary>
[Flags]
internal enum PerfPageCapabilities : ulong
{
    UserRdpmc = 1 << 2,
    UserTime = 1 << 3,
}

/// <summary>One open counter on one thread or CPU, with its page. <see cref="SafeHandle.Dispose()"/> or the finalizer releases both exactly
/// once.</summary>
internal sealed unsafe class PerfEventFile : SafeHandleMinusOneIsInvalid
{
    private static readonly nuint PageSize = (nuint)Environment.SystemPageSize;

    private nint _page;

    private PerfEventFile(int file)
        : base(ownsHandle: true) => SetHandle(file);

    /// <summary>The mmap page of the counter; null if it is not mapped.</summary>
    public void* Page => (void*)_page;

    public PerfPageCapabilities Capabilities => CapabilitiesOf(Page);

    public int Number => (int)handle;

    /// <summary>Reads <c>perf_event_mmap_page.capabilities</c>, which has the same offset in every kernel.</summary>
    internal static PerfPageCapabilities CapabilitiesOf(void* page) => page == null ? 0 : *(PerfPageCapabilities*)((byte*)page + 40);

    /// <summary>Opens a counter with <see cref="LibC.perf_event_open"/>, in the group of <paramref name="leader"/> or in a new one. Returns
    /// null and the error number if the kernel refuses.</summary>
    public static PerfEventFile? TryOpen(in PerfEventAttributes attributes, int thread, int cpu, PerfEventFile? leader, out int errorNumber)
    {
        PerfEventAttributes copy = attributes;
        int file = LibC.perf_event_open(&copy, thread, cpu, leader?.Number ?? -1, LibC.PERF_FLAG_FD_CLOEXEC);
        errorNumber = file < 0 ? Marshal.GetLastPInvokeError() : 0;
        return file < 0 ? null : new PerfEventFile(file);
    }

    /// <summary>Maps the page. This must happen before the first read of the counter: on some kernels a read before the mapping leaves a
    /// page that is wrong by 2³² until the next context switch. If the page cannot be mapped (the kernel locks no more memory for this
    /// user), reads are system calls.</summary>
    public void Map()
    {
        nint page = LibC.mmap(0, PageSize, LibC.PROT_READ, LibC.MAP_SHARED, Number, 0);
        _page = page == LibC.MAP_FAILED ? 0 : page;
    }

    protected override bool ReleaseHandle()
    {
        if (_page != 0)
        {
            _ = LibC.munmap(_page, PageSize);
            _page = 0;
        }

        return LibC.close((int)handle) == 0;
    }
}
