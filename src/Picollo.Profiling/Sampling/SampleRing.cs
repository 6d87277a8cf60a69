using Microsoft.Win32.SafeHandles;
using Picollo.Interop.Linux;

namespace Picollo.Profiling.Sampling;

/// <summary>The records that the kernel writes for the events of one CPU, in shared memory: struct perf_event_mmap_page followed by a ring
/// of bytes (include/uapi/linux/perf_event.h, perf_event_open(2) "MMAP layout"). Read by one thread.</summary>
internal sealed unsafe class SampleRing : SafeHandleMinusOneIsInvalid
{
    /// <summary>The kernel permits each user to lock 128 pages and one more per CPU (kernel.perf_event_mlock_kb, 516 KiB). Half of that
    /// leaves room for a second profiler, and holds 250 ms of the largest samples (1.1 KB) at 999 Hz.</summary>
    private const int MaxPages = 64;

    // Offsets in struct perf_event_mmap_page.
    private const int HeadOffset = 1024;
    private const int TailOffset = 1032;

    private static readonly nuint PageSize = (nuint)Environment.SystemPageSize;

    // The buffer for a record that wraps around the end of the ring. The size of a record is a 16-bit number.
    private readonly byte[] _joined = new byte[ushort.MaxValue];
    private readonly nuint _dataLength;

    /// <param name="page">The mapping: struct perf_event_mmap_page in one page, followed by the ring.</param>
    /// <param name="dataLength">The length of the ring, a power of two.</param>
    internal SampleRing(nint page, nuint dataLength)
        : base(ownsHandle: true)
    {
        SetHandle(page);
        _dataLength = dataLength;
    }

    public long Bytes => (long)_dataLength;

    /// <summary>Maps the ring of an event, with the largest size that the kernel permits this user to lock. Returns null and the error if
    /// it permits none.</summary>
    public static SampleRing? TryMap(int file, out int errorNumber)
    {
        errorNumber = 0;
        for (int pages = MaxPages; pages > 0; pages /= 2)
        {
            nuint dataLength = (nuint)pages * PageSize;
            nint page = LibC.mmap(0, PageSize + dataLength, LibC.PROT_READ | LibC.PROT_WRITE, LibC.MAP_SHARED, file, 0);
            if (page != LibC.MAP_FAILED)
            {
                return new SampleRing(page, dataLength);
            }

            errorNumber = Marshal.GetLastPInvokeError();
            if (errorNumber is not (Errno.EPERM or Errno.ENOMEM))
            {
                break;
            }
        }

        return null;
    }

    /// <summary>Returns the oldest record, which is valid until <see cref="Remove"/>; false if there is none.</summary>
    public bool TryPeek(out PerfRecord record)
    {
        byte* page = (byte*)handle;
        ulong head = Volatile.Read(ref *(ulong*)(page + HeadOffset));
        ulong tail = *(ulong*)(page + TailOffset); // only this thread writes it
        if (head == tail)
        {
            record = default;
            return false;
        }

        byte* data = page + PageSize;
        nuint start = (nuint)(tail % _dataLength);
        int size = PerfRecord.SizeOf(new ReadOnlySpan<byte>(data + start, PerfRecord.HeaderSize)); // 8 bytes never wrap
        Debug.Assert(size >= PerfRecord.HeaderSize && (ulong)size <= head - tail, "The kernel writes whole records.");
        nuint untilEnd = _dataLength - start;
        if ((nuint)size <= untilEnd)
        {
            record = new PerfRecord(new ReadOnlySpan<byte>(data + start, size));
            return true;
        }

        new ReadOnlySpan<byte>(data + start, (int)untilEnd).CopyTo(_joined);
        new ReadOnlySpan<byte>(data, size - (int)untilEnd).CopyTo(_joined.AsSpan((int)untilEnd));
        record = new PerfRecord(_joined.AsSpan(0, size));
        return true;
    }

    /// <summary>Returns the space of the oldest record to the kernel.</summary>
    public void Remove(in PerfRecord record)
    {
        ref ulong tail = ref *(ulong*)((byte*)handle + TailOffset);
        Volatile.Write(ref tail, tail + (ulong)record.Size);
    }

    protected override bool ReleaseHandle() => LibC.munmap(handle, PageSize + _dataLength) == 0;
}
