namespace Picollo.Scheduling.Tests.Starvation;

/// <summary>
/// A program that computes for many requests while one more request arrives that only waits a millisecond. It runs in a separate
/// process, because it starves everything else in the process of thread pool threads.
/// </summary>
internal static class Starving
{
    public const string OnThreadPool = "thread-pool", OnCpuWorkers = "cpu-workers";

    /// <summary>The two possible outputs.</summary>
    public const string Answered = "answered while the computations ran", NotAnswered = "not answered until they ended";

    public static async Task<int> Run(string[] args)
    {
        int threads = Environment.ProcessorCount;
        ThreadPool.SetMinThreads(threads, 1);
        if (!ThreadPool.SetMaxThreads(threads, 100))
        {
            return 1;
        }

        bool isScheduled = args is [OnCpuWorkers];
        using var answered = new ManualResetEventSlim();

        // A computation ends when the request is answered, or after this time.
        TimeSpan patience = isScheduled ? TimeSpan.FromSeconds(60) : TimeSpan.FromSeconds(1);
        bool Compute() => answered.Wait(patience);
        await using var pool = new CpuWorkerPool();
        Task<bool>[] computations = [.. Enumerable.Range(0, 2 * threads).Select(_ =>
            isScheduled ? pool.RunAsync(_ => Compute()) : Task.Run(Compute))];
        Task request = Task.Run(async () =>
        {
            await Task.Delay(1);
            answered.Set();
        });

        bool[] saw = await Task.WhenAll(computations);
        await request;
        Console.WriteLine(saw[0] ? Answered : NotAnswered);
        return 0;
    }
}
