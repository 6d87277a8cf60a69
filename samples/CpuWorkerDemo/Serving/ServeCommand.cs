namespace Picollo.Samples.CpuWorker.Serving;

/// <summary>The program as a server alone.</summary>
public static class ServeCommand
{
    /// <summary>What it says first of all, before its address.</summary>
    public const string Ready = "listening on ";

    /// <param name="port">On 127.0.0.1; 0 for any that is free.</param>
    /// <param name="endsWithInput">Whether it ends when its input does, which the end of the driver brings about, whatever that was.</param>
    /// <param name="input">Of the process.</param>
    /// <param name="output">Of the process.</param>
    public static async Task RunAsync(int port, bool endsWithInput, TextReader input, TextWriter output)
    {
        TaskSizes sizes = TaskSizes.Calibrate();
        await using Server server = new(port, sizes);
        await server.StartAsync();
        await output.WriteLineAsync($"{Ready}{server.Address}");
        ThreadPool.GetMinThreads(out int threads, out _);
        await output.WriteLineAsync(
            $"{Environment.ProcessorCount} CPUs, pool of {server.WorkerCount}, thread pool from {threads} threads; CRC-32 of {ChecksumTask.DataBytes} bytes in "
            + $"blocks of {ChecksumTask.BlockBytes}: {sizes.BigBlocks} for a big task, {sizes.SmallBlocks} for a small one");
        await output.FlushAsync();
        Task end = server.WaitForShutdownAsync();
        await (endsWithInput ? Task.WhenAny(end, Task.Run(input.ReadToEnd)) : end);
    }
}
