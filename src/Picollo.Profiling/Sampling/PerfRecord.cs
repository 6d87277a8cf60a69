using System.Buffers.Binary;
using Picollo.PerfEvent;

namespace Picollo.Profiling.Sampling;

/// <summary>A record of a ring (perf_event_open(2), "MMAP layout"), of events with <see cref="SampleType"/> and
/// <see cref="PerfEventFlags.SampleIdAll"/>. Missing bytes are read as 0.</summary>
internal readonly ref struct PerfRecord(ReadOnlySpan<byte> bytes)
{
    public const int HeaderSize = 8;

    public const PerfSampleType SampleType =
        PerfSampleType.Identifier | PerfSampleType.ThreadId | PerfSampleType.Time | PerfSampleType.CallChain;

    private const int ExecMark = 1 << 13; // PERF_RECORD_MISC_COMM_EXEC
    private const int ChainOffset = 40;

    private readonly ReadOnlySpan<byte> _bytes = bytes;

    public PerfRecordType Type => (PerfRecordType)UInt32(0);

    public int Size => _bytes.Length;

    // struct perf_event_header { u32 type; u16 misc; u16 size; }. A sample: { u64 id; u32 pid, tid; u64 time; u64 nr; u64 ips[nr]; }. Every
    // other record ends with { u32 pid, tid; u64 time; u64 id; }.
    public ulong EventId => UInt64(Type == PerfRecordType.Sample ? HeaderSize : Size - 8);

    public int ProcessId => (int)UInt32(Type == PerfRecordType.Sample ? 16 : 8);

    public int ThreadId => (int)UInt32(Type == PerfRecordType.Sample ? 20 : Type is PerfRecordType.Fork or PerfRecordType.Exit ? 16 : 12);

    /// <summary>CLOCK_MONOTONIC, in nanoseconds.</summary>
    public ulong Time => UInt64(Type == PerfRecordType.Sample ? 24 : Size - 16);

    /// <summary>The addresses of a sample, the innermost first, with <c>PERF_CONTEXT_…</c> marks before those of the kernel and of the
    /// program.</summary>
    public ReadOnlySpan<ulong> CallChain
    {
        get
        {
            ReadOnlySpan<ulong> chain = Size > ChainOffset ? MemoryMarshal.Cast<byte, ulong>(_bytes[ChainOffset..]) : [];
            return chain[..(int)Math.Min((ulong)chain.Length, UInt64(32))];
        }
    }

    /// <summary>For <see cref="PerfRecordType.Lost"/>: the number of records that did not fit into the ring.</summary>
    public ulong LostCount => UInt64(16);

    /// <summary>For <see cref="PerfRecordType.Comm"/>: whether the process executed another program.</summary>
    public bool IsExec => (UInt16(4) & ExecMark) != 0;

    /// <summary>For <see cref="PerfRecordType.Comm"/>: the name of the thread.</summary>
    public string Name => Text(16);

    /// <summary>For <see cref="PerfRecordType.Fork"/>: the process that forked this one, or the process of the new thread.</summary>
    public int ParentProcessId => (int)UInt32(12);

    /// <summary>For <see cref="PerfRecordType.Mmap2"/>: the mapping.</summary>
    public CodeMapping Mapping => new(UInt64(16), UInt64(24), UInt64(32), Text(72));

    public static int SizeOf(ReadOnlySpan<byte> header) => BinaryPrimitives.ReadUInt16LittleEndian(header[6..]);

    private string Text(int offset)
    {
        ReadOnlySpan<byte> text = offset < Size ? _bytes[offset..] : [];
        int end = text.IndexOf((byte)0);
        return Encoding.UTF8.GetString(end < 0 ? text : text[..end]);
    }

    private ushort UInt16(int offset) => Has(offset, 2) ? BinaryPrimitives.ReadUInt16LittleEndian(_bytes[offset..]) : (ushort)0;

    private uint UInt32(int offset) => Has(offset, 4) ? BinaryPrimitives.ReadUInt32LittleEndian(_bytes[offset..]) : 0;

    private ulong UInt64(int offset) => Has(offset, 8) ? BinaryPrimitives.ReadUInt64LittleEndian(_bytes[offset..]) : 0;

    private bool Has(int offset, int length) => offset >= 0 && offset + length <= Size;
}

/// <summary>The used values of enum perf_event_type.</summary>
internal enum PerfRecordType : uint
{
    Lost = 2,
    Comm = 3,
    Exit = 4,
    Fork = 7,
    Sample = 9,
    Mmap2 = 10,
}
