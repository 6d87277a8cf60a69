using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Picollo.Samples.CpuWorker.Driving;

/// <summary>All steps, and what they show.</summary>
public sealed class Demo(TextWriter output, DemoOptions options)
{
    // So many that all of it, with the build of a fresh clone, is done in three minutes.
    private const int Rounds = 4;
    private const int Seconds = 3;

    // What waits in a cap's queue waits for seconds; a few runs show it.
    private const int SemaphoreSmallRounds = 2;

    // Long enough to see, too short for the thread pool to grow out of it.
    private const int StarvationSeconds = 8;

    private readonly StepResults _at10 = new(10);
    private readonly StepResults _at100 = new(100);

    /// <returns>Completes when all is printed.</returns>
    public async Task RunAsync(CancellationToken stop)
    {
        long start = Stopwatch.GetTimestamp();
        output.WriteLine("Picollo: CPU-heavy requests that leave the rest responsive");
        output.WriteLine();
        output.WriteLine($"Machine  {Environment.ProcessorCount} CPUs, {RuntimeInformation.ProcessArchitecture}, {RuntimeInformation.OSDescription}; server and wrk share them");
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
        output.WriteLine($"It took {Stopwatch.GetElapsedTime(start).TotalSeconds:0} s.");
    }

    /// <summary>Step 2 with a server of its own: the thread pool's threads that it leaves behind would help the others.</summary>
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
            // Neighbours in time are what is compared.
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
