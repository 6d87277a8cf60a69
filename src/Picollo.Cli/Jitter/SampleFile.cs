using System.Buffers.Binary;
using System.Collections.Concurrent;
using Picollo.Diagnostics;

namespace Picollo.Cli.Jitter;

/// <summary>Writes all samples to a file in the format of jitterdebugger's samples.raw. A sample has 28 bytes, little-endian: the CPU (4
/// bytes), the CLOCK_MONOTONIC time when the thread ran as seconds (8) and nanoseconds (8), and the latency (8) in the unit of the
/// results.</summary>
/// <remarks>A separate thread writes the file, so that a busy or full disk does not delay the measurement. Samples are kept in memory up to
/// a limit. Blocks are reused, because a garbage collection would pause the measuring threads.</remarks>
internal sealed class SampleFile : IDisposable
{
    public const string Name = "samples.raw";

    internal const int SampleLength = 28;
    private const int BlockLength = 2048 * SampleLength;

    /// <summary>The limit of memory: 14 MiB, which two CPUs fill in four minutes at 1,000 samples per second.</summary>
    private const int MaxBlocks = 256;

    private const long NanosecondsPerSecond = 1_000_000_000;
    private const ulong NanosecondsPerMicrosecond = 1000;

    private readonly FileStream _file;
    private readonly long _intervalNanoseconds;
    private readonly ulong _unit;
    private readonly Thread _writer;
    private readonly BlockingCollection<(byte[] Block, int Length)> _full = [];
    private readonly ConcurrentQueue<byte[]> _free = [];
    private volatile string? _problem;
    private volatile bool _hasDropped;

    // Used by the producer only.
    private byte[]? _block;
    private int _length;
    private int _blocks;

    /// <summary>Starts the writing thread.</summary>
    /// <param name="file">An empty file, which <see cref="Dispose"/> closes.</param>
    public SampleFile(FileStream file, TimeSpan interval, bool inNanoseconds)
    {
        _file = file;
        _intervalNanoseconds = interval.Ticks * TimeSpan.NanosecondsPerTick;
        _unit = inNanoseconds ? 1 : NanosecondsPerMicrosecond;
        _writer = new Thread(Write) { IsBackground = true, Name = "samples" };
        _writer.Start();
    }

    /// <summary>The reason why samples are missing; null if none are missing.</summary>
    public string? Problem => _problem ?? (_hasDropped ? "samples are missing because the disk is too slow" : null);

    /// <summary>Adds samples (see <see cref="JitterMeterOptions.Samples"/>). Does not wait for the disk. Only one thread may call this
    /// method at a time.</summary>
    public void Add(int cpu, long firstDueNanoseconds, ReadOnlySpan<ulong> latencyNanoseconds)
    {
        long due = firstDueNanoseconds;
        foreach (ulong latency in latencyNanoseconds)
        {
            if (_block is null && (_block = Rent()) is null)
            {
                return;
            }

            long ran = due + (long)latency;
            Span<byte> sample = _block.AsSpan(_length, SampleLength);
            BinaryPrimitives.WriteInt32LittleEndian(sample, cpu);
            BinaryPrimitives.WriteInt64LittleEndian(sample[4..], ran / NanosecondsPerSecond);
            BinaryPrimitives.WriteInt64LittleEndian(sample[12..], ran % NanosecondsPerSecond);
            BinaryPrimitives.WriteUInt64LittleEndian(sample[20..], latency / _unit);
            due += _intervalNanoseconds;
            _length += SampleLength;
            if (_length == BlockLength)
            {
                EnqueueBlock();
            }
        }
    }

    /// <summary>Writes the remaining samples. No sample may be added afterwards.</summary>
    public void Complete()
    {
        if (_block is not null)
        {
            EnqueueBlock();
        }

        _full.CompleteAdding();
        _writer.Join();
    }

    public void Dispose()
    {
        Complete();
        _full.Dispose();
        _file.Dispose();
    }

    /// <summary>Returns a block to fill; null if there is none, so that samples are dropped.</summary>
    private byte[]? Rent()
    {
        if (_problem is null && _free.TryDequeue(out byte[]? block))
        {
            return block;
        }

        if (_problem is null && _blocks < MaxBlocks)
        {
            _blocks++;
            return new byte[BlockLength];
        }

        _hasDropped = true;
        return null;
    }

    private void EnqueueBlock()
    {
        _full.Add((_block!, _length));
        (_block, _length) = (null, 0);
    }

    private void Write()
    {
        try
        {
            foreach ((byte[] block, int length) in _full.GetConsumingEnumerable())
            {
                _file.Write(block, 0, length);
                _free.Enqueue(block);
            }
        }
        catch (IOException e)
        {
            // Stop writing, because samples after a gap would look contiguous.
            _problem = $"{Name}: {CommandException.FileProblemOf(e)}; the measurement continues without saving further samples";
            TruncateToWholeSamples();
        }
    }

    // A partial sample would misalign all samples after it.
    private void TruncateToWholeSamples()
    {
        try
        {
            _file.SetLength(_file.Length / SampleLength * SampleLength);
        }
        catch (IOException)
        {
        }
    }
}
