using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using Picollo.Interop.Linux;

namespace Picollo.PerfEvent;

/// <summary>One open counter on one thread or CPU, with its page; both go exactly once, by <see cref="SafeHandle.Dispose()"/> or the
/// finalizer.</summary>
internal sealed unsafe class PerfEventFile : SafeHandleMinusOneIsInvalid
{
    private static readonly nuint PageSize = (nuint)Environment.SystemPageSize;

    private nint _page;

    private PerfEventFile(int file)
        : base(ownsHandle: true) => SetHandle(file);

    /// <summary>The counter's mmap page; null where there is none to be had.</summary>
    public void* Page => (void*)_page;

    public int Number => (int)handle;

    /// <summary>Null, and the error number, where the kernel refuses.</summary>
    /// <param name="attributes">Which event, and how.</param>
    /// <param name="thread">0 for the calling one, -1 for all on the CPU.</param>
    /// <param name="cpu">-1 for any.</param>
    /// <param name="leader">The group to join; null to begin one.</param>
    /// <param name="errorNumber">0 where it succeeds.</param>
    public static PerfEventFile? TryOpen(in PerfEventAttributes attributes, int thread, int cpu, PerfEventFile? leader, out int errorNumber)
    {
        PerfEventAttributes copy = attributes;
        int file = LibC.perf_event_open(&copy, thread, cpu, leader?.Number ?? -1, LibC.PERF_FLAG_FD_CLOEXEC);
        errorNumber = file < 0 ? Marshal.GetLastPInvokeError() : 0;
        return file < 0 ? null : new PerfEventFile(file);
    }

    /// <summary>Maps the page, before the counter is first read: on some kernels a read before the mapping leaves a page that is wrong
    /// by 2³² until the next context switch. Without a page (the kernel locks no more memory for this user) there are system
    /// calls.</summary>
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
