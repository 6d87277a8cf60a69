using Picollo.Scheduling;

namespace Picollo.Samples.CpuWorker.Serving;

/// <summary>The program as a server alone.</summary>
public static class ServeCommand
{
    /// <summary>What it says first of all, before its address.</summary>
    public const string Ready = "listening on ";

    /// <param name="options">The options; with a port.</param>
    /// <param name="input">Of the process.</param>
    /// <param name="output">Of the process.</param>
    public static async Task RunAsync(DemoOptions options, TextReader input, TextWriter output)
    {
        TaskSizes sizes = TaskSizes.Calibrate();
        CpuWorkerPoolOptions pool = options.ToPoolOptions();
        await using Server server = new(options.Port!.Value, sizes, pool);
        await server.StartAsync();
        await output.WriteLineAsync($"{Ready}{server.Address}");
        ThreadPool.GetMinThreads(out int threads, out _);
        await output.WriteLineAsync(
            $"{Environment.ProcessorCount} CPUs, pool of {server.WorkerCount} with slices of {pool.TimeSlice.TotalMilliseconds} ms, thread pool from {threads} threads; CRC-32 of {ChecksumTask.DataBytes} bytes in "
            + $"blocks of {ChecksumTask.BlockBytes}: {sizes.BigBlocks} for a big task, {sizes.SmallBlocks} for a small one");
        await output.FlushAsync();
        Task end = server.WaitForShutdownAsync();
        await (options.EndsWithInput ? Task.WhenAny(end, Task.Run(input.ReadToEnd)) : end);
    }
}
