using Picollo.Scheduling;

namespace Picollo.Samples.CpuWorker.Serving;

/// <summary>The CPU-heavy work of a request: the checksum of the document's 262,144 bytes, again and again, in blocks.</summary>
/// <param name="name">In the pool's statistics.</param>
/// <param name="blocks">How many blocks a request takes.</param>
public sealed class ChecksumTask(string name, int blocks)
{
    public const int DataBytes = 262_144;

    /// <summary>From one checkpoint to the next: some 20 µs.</summary>
    public const int BlockBytes = 32_768;

    private static readonly byte[] Data = CreateData();

    private long _done;

    public string Name => name;

    /// <summary>How many such requests' work has been done, parts of requests included: it counts while requests run.</summary>
    public double Done => Volatile.Read(ref _done) / (double)blocks;

    /// <summary>Without checkpoints.</summary>
    public uint Compute(CancellationToken cancellationToken)
    {
        uint crc = 0;
        for (int block = 0; block < blocks && !cancellationToken.IsCancellationRequested; block++)
        {
            crc = Append(crc, block);
        }

        return crc;
    }

    /// <summary>The same, for a pool.</summary>
    public async Task<uint> ComputeAsync(CpuTaskContext cpu)
    {
        uint crc = 0;
        for (int block = 0; block < blocks; block++)
        {
            crc = Append(crc, block);
            await cpu.CheckpointAsync();
        }

        return crc;
    }

    /// <summary>A single block, counted by nobody.</summary>
    public static uint ComputeBlock() => Crc32.Append(0, Data.AsSpan(0, BlockBytes));

    private uint Append(uint crc, int block)
    {
        crc = Crc32.Append(crc, Data.AsSpan(block * BlockBytes % DataBytes, BlockBytes));
        Interlocked.Increment(ref _done);
        return crc;
    }

    private static byte[] CreateData()
    {
        byte[] data = new byte[DataBytes];
        new Random(0).NextBytes(data);
        return data;
    }
}
