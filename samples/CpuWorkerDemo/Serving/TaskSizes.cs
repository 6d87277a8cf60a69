using Picollo.Cpu;

namespace Picollo.Samples.CpuWorker.Serving;

/// <summary>The amount of work of the requests.</summary>
/// <param name="BigBlocks">The number of blocks of a big request (<see cref="ChecksumTask"/>).</param>
/// <param name="SmallBlocks">The number of blocks of a small request.</param>
public sealed record TaskSizes(int BigBlocks, int SmallBlocks)
{
    private const double BigMilliseconds = 200;
    private const double SmallMilliseconds = 0.16;
    private const int Batches = 15;
    private const int BlocksInBatch = 500;

    /// <summary>Measures this machine, and returns sizes with which a big request takes 200 ms of CPU time, and a small request 0.16 ms.</summary>
    public static TaskSizes Calibrate()
    {
        // CPU time and the median, so that other programs on the machine do not affect the sizes.
        double[] batches = [.. Enumerable.Range(0, Batches).Select(_ => MeasureBatch()).Order()];
        double milliseconds = batches[Batches / 2] / BlocksInBatch / 1e6;
        return new TaskSizes(ToBlocks(BigMilliseconds / milliseconds), ToBlocks(SmallMilliseconds / milliseconds));
    }

    private static long MeasureBatch()
    {
        long start = CpuUsageReader.GetThreadTimeNanoseconds();
        for (int i = 0; i < BlocksInBatch; i++)
        {
            _ = ChecksumTask.ComputeBlock();
        }

        return CpuUsageReader.GetThreadTimeNanoseconds() - start;
    }

    private static int ToBlocks(double count) => Math.Max(1, (int)Math.Round(count));
}
