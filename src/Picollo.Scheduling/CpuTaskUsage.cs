namespace Picollo.Scheduling;

/// <summary>What a task has taken of a <see cref="CpuWorkerPool"/>.</summary>
/// <param name="CpuTime">CPU time on the workers, by their threads' clocks.</param>
/// <param name="Slices">How many stretches on a worker that was.</param>
/// <param name="WaitTime">How long it has waited for a worker, before the first and between them; what it awaited itself does not
/// count.</param>
public readonly record struct CpuTaskUsage(TimeSpan CpuTime, int Slices, TimeSpan WaitTime);

/// <summary>A task that runs now.</summary>
/// <param name="Name">The task's.</param>
/// <param name="SliceLength">How long it has had its worker.</param>
/// <param name="Overrun">For how long it has been asked to give the worker up, and has not come to a checkpoint; zero if it was
/// not.</param>
public readonly record struct CpuRunningTask(string Name, TimeSpan SliceLength, TimeSpan Overrun);
