using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Picollo.Samples.CpuWorker.Driving;

/// <summary>Runs all steps and prints the results.</summary>
public sealed class Demo(TextWriter output, DemoOptions options)
{
    // Chosen so that the build of a new clone and the demo take three minutes in total.
    private const int Rounds = 4;
    private const int Seconds = 3;

    // Requests in the queue of a semaphore wait for seconds, so few runs are sufficient.
    private const int SemaphoreSmallRounds = 2;

    // Long enough to show the starvation, and too short for the thread pool to add enough threads.
    private const int StarvationSeconds = 8;

    private readonly StepResults _at10 = new(10);
    private readonly StepResults _at100 = new(100);

    /// <summary>Runs the demo.</summary>
    /// <returns>A task that completes when all results are printed.</returns>
    public async Task RunAsync(CancellationToken stop)
    {
        long start = Stopwatch.GetTimestamp();
        output.WriteLine("Picollo: CPU-heavy requests that do not delay other requests");
        output.WriteLine();
        output.WriteLine($"Machine  {Environment.ProcessorCount} CPUs, {RuntimeInformation.ProcessArchitecture}, {RuntimeInformation.OSDescription}; shared by server and wrk");
        output.WriteLine($"Runtime  {RuntimeInformation.FrameworkDescription}, Kestrel");
        foreach (StepResults results in (StepResults[])[_at10, _at100])
        {
            await MeasureStarvationAsync(results, stop);
        }

        await MeasureRestAsync(stop);
        output.WriteLine();
        output.WriteLine();
        StepTable.Write(output, _at10, _at100);
        TargetTable.Write(output, _at10, options.ToPoolOptions().TimeSlice.TotalMilliseconds);
        output.WriteLine($"The demo took {Stopwatch.GetElapsedTime(start).TotalSeconds:0} s.");
    }

    /// <summary>Measures step 2 with a separate server, because the threads that this step adds to the thread pool would improve the other steps.</summary>
    private async Task MeasureStarvationAsync(StepResults results, CancellationToken stop)
    {
        await using ServerProcess server = await ServerProcess.StartAsync(stop, options);
        if (results == _at10)
        {
            output.WriteLine($"Server   {server.Description}");
            output.WriteLine();
            output.Write("Running");
        }

        Steps steps = new(server, results, StarvationSeconds, stop);
        await steps.WarmUpAsync("delay1ms");
        await RunAsync(steps.UnscheduledAsync);
    }

    private async Task MeasureRestAsync(CancellationToken stop)
    {
        await using ServerProcess server = await ServerProcess.StartAsync(stop, options);
        await using ServerProcess ample = await ServerProcess.StartAsync(stop, options, ServerProcess.AmpleThreads);
        Steps at10 = new(server, _at10, Seconds, stop);
        Steps ampleAt10 = new(ample, _at10, Seconds, stop);
        Steps at100 = new(server, _at100, Seconds, stop);
        await at10.WarmUpAsync("delay1ms", "checksumSmallTaskWithCpuWorker", "checksumSmallTaskWithSemaphore");
        await ampleAt10.WarmUpAsync("delay1ms");
        for (int round = 0; round < Rounds; round++)
        {
            // Steps that are compared with each other run in direct succession.
            await RunAsync(at10.AloneAsync);
            await RunAsync(at10.ScheduledAsync);
            await RunAsync(ampleAt10.AmpleSemaphoreScheduledAsync);
            await RunAsync(at10.SemaphoreScheduledAsync);
            await RunAsync(at10.SmallAsync);
            if (round < SemaphoreSmallRounds)
            {
                await RunAsync(at10.SemaphoreSmallAsync);
            }
        }

        await RunAsync(at10.LoopsAsync);
        await RunAsync(at100.AloneAsync);
        await RunAsync(at100.ScheduledAsync);
        await RunAsync(at100.SmallAsync);
    }

    private async Task RunAsync(Func<Task> step)
    {
        await step();
        output.Write('.');
        output.Flush();
    }
}
