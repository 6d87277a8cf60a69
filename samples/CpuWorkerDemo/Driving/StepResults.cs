namespace Picollo.Samples.CpuWorker.Driving;

/// <summary>The results of the steps with one number of connections. For properties with the prefix <c>Semaphore</c>, a semaphore replaces the
/// pool.</summary>
public sealed class StepResults(int concurrency)
{
    public int Concurrency => concurrency;

    /// <summary>Step 1: <c>/delay1ms</c> alone.</summary>
    public Runs Alone { get; } = new();

    /// <summary>Step 2: with checksums in the thread pool, in a server that has just started.</summary>
    public Runs Unscheduled { get; } = new();

    /// <summary>Step 3: with checksums in the pool.</summary>
    public Runs Scheduled { get; } = new();

    public Runs SemaphoreScheduled { get; } = new();

    /// <summary>Step 3 with a semaphore, in a server whose thread pool starts with <see cref="ServerProcess.AmpleThreads"/> threads. This is the best
    /// case for a semaphore.</summary>
    public Runs AmpleSemaphoreScheduled { get; } = new();

    /// <summary>Step 4: with big and small checksums in the pool.</summary>
    public Runs WithBoth { get; } = new();

    public Runs SemaphoreWithBoth { get; } = new();

    /// <summary>Step 4: the small checksums.</summary>
    public Runs Small { get; } = new();

    public Runs SemaphoreSmall { get; } = new();

    /// <summary>Step 4: the times of small checksums in the pool, as measured by the server.</summary>
    public List<Latencies> SmallInPool { get; } = [];

    /// <summary><c>/delay1msLoop</c>, with checksums in the pool.</summary>
    public Runs Loop { get; } = new();

    /// <summary><c>/delay1msLoopWithCpuWorker</c>, with checksums in the pool.</summary>
    public Runs LoopInPool { get; } = new();

    /// <summary>The number of big requests per second in step 3.</summary>
    public List<double> BigRate { get; } = [];

    public List<double> SemaphoreBigRate { get; } = [];

    public List<double> AmpleSemaphoreBigRate { get; } = [];

    /// <summary>The number of big requests per second in step 4.</summary>
    public List<double> BigRateWithSmall { get; } = [];

    public List<double> SemaphoreBigRateWithSmall { get; } = [];
}
