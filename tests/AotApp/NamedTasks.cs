using Picollo.Scheduling;

namespace AotApp;

/// <summary>Runs tasks in a pool, which names them by their methods.</summary>
internal static class NamedTasks
{
    public static async Task Run()
    {
        await using CpuWorkerPool pool = new(new CpuWorkerPoolOptions { WorkerCount = 1 });
        string method = "", lambda = "";
        await pool.RunAsync(Body);
        await pool.RunAsync(_ =>
        {
            lambda = pool.Statistics.GetRunningTasks().Single().Name;
            return Task.CompletedTask;
        });
        Facts.Print("task-method", method);
        Facts.Print("task-lambda", lambda);

        Task Body(CpuTaskContext cpu)
        {
            method = pool.Statistics.GetRunningTasks().Single().Name;
            return Task.CompletedTask;
        }
    }
}
