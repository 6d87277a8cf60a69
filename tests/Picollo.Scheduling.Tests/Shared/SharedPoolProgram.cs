namespace Picollo.Scheduling.Tests.Shared;

/// <summary>Uses the shared pool in a separate process and ends while a task runs. Linux only, because it reads the names of threads.</summary>
internal static class SharedPoolProgram
{
    public static async Task<int> Run()
    {
        await using (var other = new CpuWorkerPool())
        {
            await other.RunAsync(_ => { }); // initializes all other static state of the package
            Console.WriteLine($"{CountThreads()} threads before");
        }

        var started = new TaskCompletionSource();
        _ = CpuWorkerPool.Shared.RunAsync(_ =>
        {
            started.SetResult();
            Thread.Sleep(Timeout.Infinite);
        });
        await started.Task;
        await Pools.Until(() => CountThreads() >= CpuWorkerPool.Shared.WorkerCount + 1); // threads set their names when they start
        Console.WriteLine($"{CountThreads()} threads after");
        return 0;
    }

    private static int CountThreads() => Directory.GetDirectories("/proc/self/task")
        .Count(thread => NameOf(thread).StartsWith("Shared worker", StringComparison.Ordinal));

    private static string NameOf(string thread)
    {
        try
        {
            return File.ReadAllText(Path.Combine(thread, "comm"));
        }
        catch (IOException)
        {
            return ""; // it has ended since it was listed
        }
    }
}
