using Picollo.Scheduling;

namespace Picollo.Samples.CpuWorker.Serving;

/// <summary>Runs only the server.</summary>
public static class ServeCommand
{
    /// <summary>The start of the first line of output. The address follows.</summary>
    public const string Ready = "listening on ";

    /// <summary>Runs the server until it is stopped.</summary>
    /// <param name="options">The options, with a port.</param>
    /// <param name="input">The input of the process.</param>
    /// <param name="output">The output of the process.</param>
    public static async Task RunAsync(DemoOptions options, TextReader input, TextWriter output)
    {
        TaskSizes sizes = TaskSizes.Calibrate();
        CpuWorkerPoolOptions pool = options.ToPoolOptions();
        await using Server server = new(options.Port!.Value, sizes, pool);
        await server.StartAsync();
        await output.WriteLineAsync($"{Ready}{server.Address}");
        ThreadPool.GetMinThreads(out int threads, out _);
        await output.WriteLineAsync(
            $"{Environment.ProcessorCount} CPUs; pool: {server.WorkerCount} workers, slices of {pool.TimeSlice.TotalMilliseconds} ms; thread pool: at least {threads} threads; CRC-32 of {ChecksumTask.DataBytes} bytes in "
            + $"blocks of {ChecksumTask.BlockBytes}: big task {sizes.BigBlocks} blocks, small task {sizes.SmallBlocks} blocks");
        await output.FlushAsync();
        Task end = server.WaitForShutdownAsync();
        await (options.EndsWithInput ? Task.WhenAny(end, Task.Run(input.ReadToEnd)) : end);
    }
}
