namespace Picollo.Samples.CpuWorker.Driving;

/// <summary>What the steps measured at one concurrency; those of <c>Semaphore…</c> have a plain cap in the pool's place.</summary>
public sealed class StepResults(int concurrency)
{
    public int Concurrency => concurrency;

    /// <summary>Step 1: <c>/delay1ms</c> alone.</summary>
    public Runs Alone { get; } = new();

    /// <summary>Step 2: beside checksums in the thread pool, in a server that has just started.</summary>
    public Runs Unscheduled { get; } = new();

    /// <summary>Step 3: beside checksums in the pool.</summary>
    public Runs Scheduled { get; } = new();

    public Runs SemaphoreScheduled { get; } = new();

    /// <summary>The same in a server whose thread pool begins with <see cref="ServerProcess.AmpleThreads"/>: the cap at its best.</summary>
    public Runs AmpleSemaphoreScheduled { get; } = new();

    /// <summary>Step 4: beside big and small checksums in the pool.</summary>
    public Runs BesideBoth { get; } = new();

    public Runs SemaphoreBesideBoth { get; } = new();

    /// <summary>Step 4: the small ones.</summary>
    public Runs Small { get; } = new();

    public Runs SemaphoreSmall { get; } = new();

    /// <summary>Step 4: how long the small ones were in the pool, as the server saw it.</summary>
    public List<Latencies> SmallInPool { get; } = [];

    /// <summary>Beside checksums in the pool: <c>/delay1msLoop</c>, and the same in the pool.</summary>
    public Runs Loop { get; } = new();

    public Runs LoopInPool { get; } = new();

    /// <summary>Big requests' work a second, in step 3.</summary>
    public List<double> BigRate { get; } = [];

    public List<double> SemaphoreBigRate { get; } = [];

    public List<double> AmpleSemaphoreBigRate { get; } = [];

    /// <summary>The same in step 4.</summary>
    public List<double> BigRateBesideSmall { get; } = [];

    public List<double> SemaphoreBigRateBesideSmall { get; } = [];
}
