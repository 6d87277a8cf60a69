using BenchmarkDotNet.Attributes;
using Picollo.BenchmarkDotNet;
using Picollo.PerfEvent;

namespace Picollo.Samples.Benchmarks;

/// <summary>Writes a thousand messages into reused or into new buffers. The last two thousand messages remain in use.</summary>
/// <remarks>The mean distributes the time of garbage collections over all operations. The percentiles show the operations that are affected: if
/// BenchmarkDotNet's <c>Gen0</c> column shows twenty collections in a thousand operations, p50 and p90 include none of them, and p99 includes
/// one.</remarks>
[MemoryDiagnoser]
[PerfCounters(PerfSoftwareCounterId.PageFaults)]
[HdrPercentiles]
public class Allocation
{
    private const int MessageBytes = 2_048;
    private const int MessagesPerOperation = 1_000;

    private readonly byte[][] _inUse = [.. Enumerable.Range(0, 2_000).Select(_ => new byte[MessageBytes])];
    private int _next;

    [Benchmark(Baseline = true)]
    public void Reusing()
    {
        for (int i = 0; i < MessagesPerOperation; i++)
        {
            Write(Next());
        }
    }

    [Benchmark]
    public void Allocating()
    {
        for (int i = 0; i < MessagesPerOperation; i++)
        {
            Write(Next() = new byte[MessageBytes]);
        }
    }

    private ref byte[] Next()
    {
        _next = (_next + 1) % _inUse.Length;
        return ref _inUse[_next];
    }

    private static void Write(byte[] message)
    {
        for (int i = 0; i < message.Length; i++)
        {
            message[i] = (byte)(i * 31);
        }
    }
}
