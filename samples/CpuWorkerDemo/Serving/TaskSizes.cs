using Picollo.Cpu;

namespace Picollo.Samples.CpuWorker.Serving;

/// <summary>How much work requests are.</summary>
/// <param name="BigBlocks">Of a big one, in blocks of <see cref="ChecksumTask"/>.</param>
/// <param name="SmallBlocks">Of a small one.</param>
public sealed record TaskSizes(int BigBlocks, int SmallBlocks)
{
    private const double BigMilliseconds = 200;
    private const double SmallMilliseconds = 0.16;
    private const int Batches = 15;
    private const int BlocksInBatch = 500;

    /// <summary>Such that a big request takes 200 ms of CPU here and a small one 0.16.</summary>
    public static TaskSizes Calibrate()
    {
        // CPU time and the median: other programs on the machine do not make requests smaller.
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
