using System.Buffers.Binary;
using Picollo.Cli.Shell;

namespace Picollo.Cli.Jitter;

/// <summary>Every sample in a file, as jitterdebugger's samples.raw: 28 bytes each, little-endian: CPU (4), seconds and nanoseconds of
/// CLOCK_MONOTONIC when it ran (8 and 8), latency (8) in the unit of the results.</summary>
/// <remarks>Written by a thread of its own, so that a disk that is busy or full keeps nobody waiting: what comes meanwhile is held in
/// memory up to a limit.</remarks>
internal sealed class SampleFile : IDisposable
{
    public const string Name = "samples.raw";

    internal const int SampleLength = 28;
    private const int BlockLength = 2048 * SampleLength;

    /// <summary>Of blocks: some 14 MiB, which two CPUs fill in four minutes at 1,000 samples a second.</summary>
    private const int MostBlocks = 256;

    private const long NanosecondsPerSecond = 1_000_000_000;
    private const ulong NanosecondsPerMicrosecond = 1000;

    private readonly FileStream _file;
    private readonly long _intervalNanoseconds;
    private readonly ulong _unit;
    private readonly Thread _writer;

    // Guarded by the first.
    private readonly Queue<(byte[] Block, int Length)> _full = [];
    private readonly Stack<byte[]> _free = [];
    private int _blocks;
    private bool _isComplete;
    private string? _problem;
    private bool _hasDropped;

    // The producer's.
    private byte[]? _block;
    private int _length;

    /// <param name="file">Empty; is disposed with this.</param>
    /// <param name="interval">Between samples.</param>
    /// <param name="inNanoseconds">The latencies, instead of microseconds.</param>
    public SampleFile(FileStream file, TimeSpan interval, bool inNanoseconds)
    {
        _file = file;
        _intervalNanoseconds = interval.Ticks * TimeSpan.NanosecondsPerTick;
        _unit = inNanoseconds ? 1 : NanosecondsPerMicrosecond;
        _writer = new Thread(Write) { IsBackground = true, Name = "samples" };
        _writer.Start();
    }

    /// <summary>Why samples are missing; null where none are.</summary>
    public string? Problem
    {
        get
        {
            lock (_full)
            {
                return _problem ?? (!_hasDropped ? null : "samples are missing, as the disk does not keep up with them");
            }
        }
    }

    /// <summary>Takes samples, a <see cref="JitterSamplesHandler"/>. One thread at a time. Blocks for no disk.</summary>
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
                Hand();
            }
        }
    }

    /// <summary>Writes what is left. No sample may come after it.</summary>
    public void Complete()
    {
        if (_block is not null)
        {
            Hand();
        }

        lock (_full)
        {
            _isComplete = true;
            Monitor.Pulse(_full);
        }

        _writer.Join();
    }

    public void Dispose()
    {
        Complete();
        _file.Dispose();
    }

    /// <summary>A block to fill; null where there is none and samples are dropped.</summary>
    private byte[]? Rent()
    {
        lock (_full)
        {
            if (_problem is null && _free.TryPop(out byte[]? block))
            {
                return block;
            }

            if (_problem is not null || _blocks == MostBlocks)
            {
                _hasDropped = true;
                return null;
            }

            _blocks++;
            return new byte[BlockLength];
        }
    }

    private void Hand()
    {
        lock (_full)
        {
            _full.Enqueue((_block!, _length));
            Monitor.Pulse(_full);
        }

        (_block, _length) = (null, 0);
    }

    private void Write()
    {
        while (Next() is var (block, length))
        {
            try
            {
                _file.Write(block, 0, length);
            }
            catch (IOException e)
            {
                Fail(e);
                return;
            }

            lock (_full)
            {
                _free.Push(block);
            }
        }
    }

    private (byte[] Block, int Length)? Next()
    {
        lock (_full)
        {
            while (_full.Count == 0)
            {
                if (_isComplete)
                {
                    return null;
                }

                Monitor.Wait(_full);
            }

            return _full.Dequeue();
        }
    }

    /// <summary>No more is written: samples after a gap would look as if they belonged together.</summary>
    private void Fail(IOException problem)
    {
        lock (_full)
        {
            _problem = $"{Name}: {FileProblem.Of(problem)}; the measurement goes on, without further samples in it";
        }

        try
        {
            _file.SetLength(_file.Length / SampleLength * SampleLength); // a part of one would shift what a reader makes of it
        }
        catch (IOException)
        {
        }
    }
}
