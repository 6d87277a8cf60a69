using Picollo.Scheduling;

namespace Picollo.Samples.CpuWorker.Serving;

/// <summary>The CPU-heavy work of a request: the checksum of the document's 262,144 bytes, computed repeatedly, in blocks.</summary>
/// <param name="name">The name in the pool's statistics.</param>
/// <param name="blocks">The number of blocks of a request.</param>
public sealed class ChecksumTask(string name, int blocks)
{
    public const int DataBytes = 262_144;

    /// <summary>The number of bytes between two checkpoints. They take about 20 µs.</summary>
    public const int BlockBytes = 32_768;

    private static readonly byte[] Data = CreateData();

    private long _done;

    public string Name => name;

    /// <summary>The number of requests that were computed, including parts of running requests.</summary>
    public double Done => Volatile.Read(ref _done) / (double)blocks;

    /// <summary>Computes the checksum of a request without checkpoints.</summary>
    public uint Compute(CancellationToken cancellationToken)
    {
        uint crc = 0;
        for (int block = 0; block < blocks && !cancellationToken.IsCancellationRequested; block++)
        {
            crc = Append(crc, block);
        }

        return crc;
    }

    /// <summary>Computes the checksum of a request in a pool, with a checkpoint after each block.</summary>
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

    /// <summary>Computes the checksum of a single block, which is not counted in <see cref="Done"/>.</summary>
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
