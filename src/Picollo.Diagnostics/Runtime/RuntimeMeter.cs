using System.Runtime;
using System.Runtime.ExceptionServices;
using Picollo.Diagnostics.Runtime;
using Picollo.Metrics;

namespace Picollo.Diagnostics;

/// <summary>Measures how the .NET runtime delays this process: pauses of the garbage collector, waits for a thread-pool thread, and waits
/// for locks, as histograms in nanoseconds.</summary>
/// <remarks>
/// <para><b>Sources.</b> Pauses and lock waits come from the runtime's own events (<c>Microsoft-Windows-DotNETRuntime</c>, keywords GC and
/// Contention, level Informational), which arrive up to a tenth of a second late. The delay of the thread pool is sampled: a thread
/// queues one work item at a time and measures how long it waits. It measures every 20 ms while work waits, every 160 ms
/// while the pool works without a queue, and once per second while the pool is idle. The histogram gets one value for each interval of
/// 20 ms, so a delay that is measured less often is recorded several times.
/// The age of an item that waits is recorded each 20 ms, so a starved pool is visible within 160 ms.</para>
/// <para><b>Cost.</b> An idle process uses about 0.1 % of a processor (.NET 10.0.12 on a virtual machine with two AMD EPYC processors). An
/// item wakes threads of the pool, which takes up to 0.6 ms of CPU time while they sleep. There are about 15 runtime events per collection,
/// which the runtime allocates. The meter itself allocates nothing in the steady state. <c>./build.sh bench compare runtime</c> measures
/// the cost.</para>
/// <para><b>Threads.</b> The more threads have started and ended, the more slowly the runtime (10.0.12) delivers events. The meter
/// therefore starts a new event session after 1,000 threads, at most every 10 s. Events that were not yet delivered are lost, usually
/// those of the last 10 ms. Other listeners of runtime events in this process lose them, too.</para>
/// <para>All members are thread-safe. The meters of a process share one thread and one event session, so a further meter costs little.
/// Each has its own histograms, with the values since its start. Starting and disposing meters concurrently is safe, but the runtime
/// (10.0.12) can deadlock if other code starts or disposes its own <c>EventListener</c> at the same time, or while the meters start a new
/// event session.</para>
/// <example>
/// <code>
/// using RuntimeMeter meter = RuntimeMeter.Start();
/// Work();
/// Console.WriteLine(meter.GcPauses.GetSummary().ToString("GC pauses, ns"));
/// </code>
/// </example>
/// </remarks>
public sealed class RuntimeMeter : IDisposable
{
    private readonly RuntimeEventReader _reader;
    private readonly RuntimeHistograms _histograms;
    private readonly HdrHistogram _threadPoolDelays;
    private long _exceptions;
    private int _isDisposed;

    private RuntimeMeter(RuntimeHistograms histograms)
    {
        _histograms = histograms;
        _threadPoolDelays = histograms.Add(ThreadPoolProbe.Name, HdrHistogram.Create(), ThreadPoolProbe.Description);
        _reader = new RuntimeEventReader(histograms);
        UnavailableReasons = RuntimeSources.Add(_reader, _threadPoolDelays)
            ? []
            :
            [
                "GC pauses and lock waits are unavailable: this application has no runtime events. Set the MSBuild property "
                + "EventSourceSupport to true.",
            ];
        AppDomain.CurrentDomain.FirstChanceException += OnException;
    }

    /// <summary>The durations of the pauses in which the garbage collector stops all threads, in nanoseconds, from the request to suspend
    /// to the start of the resumption. A background collection has several pauses.</summary>
    /// <remarks>A pause is 1 to 3 µs longer than in <see cref="GC.GetTotalPauseDuration"/>, which is 5 % of an induced pause of 24 µs:
    /// the runtime ends its pause before it reports the end of the collection and resumes the threads. On a busy machine, the sum can also
    /// be lower, by up to 40 µs per pause.</remarks>
    public ReadOnlyHdrHistogram GcPauses => _reader.Pauses;

    /// <summary>The same pauses by their cause: histograms with the name <c>dotnet.gc.pause.duration</c> and the labels
    /// <c>gc.heap.generation</c> (<c>gen0</c>, <c>gen1</c>, <c>gen2</c>) and <c>gc.reason</c> (<c>alloc_small</c>, <c>induced</c>, …; the
    /// names of the runtime's <c>gc_reason</c>). The value is <c>unknown</c> if the meter started during the
    /// collection, or if no collection followed.</summary>
    /// <value>The causes that have occurred. A returned list does not change.</value>
    public IReadOnlyList<HdrHistogramRegistration> GcPausesByCause => _reader.PausesByCause;

    /// <summary>The time from a collector's request to suspend all threads until all were suspended, in nanoseconds, which is the first
    /// part of each pause. It is long if a thread does not reach a safepoint or does not get a CPU.</summary>
    public ReadOnlyHdrHistogram GcSuspensions => _reader.Suspensions;

    /// <summary>The time that work items wait in the global queue of the thread pool, in nanoseconds: one value for each 20 ms.</summary>
    public ReadOnlyHdrHistogram ThreadPoolDelays => _threadPoolDelays;

    /// <summary>The time that threads waited for a lock (<c>lock</c>, <see cref="Monitor"/>, <see cref="Lock"/>) that another thread held,
    /// in nanoseconds. A wait that ended while the thread was still spinning is not included, because the runtime does not report
    /// it.</summary>
    public ReadOnlyHdrHistogram LockWaits => _reader.LockWaits;

    /// <summary>The reasons why measurements are unavailable, each with a remedy; empty if everything is measured. The histograms of
    /// unavailable measurements remain empty.</summary>
    public IReadOnlyList<string> UnavailableReasons { get; }

    /// <summary>Starts measuring.</summary>
    /// <param name="registry">The registry in which the histograms are registered while the meter runs:
    /// <c>dotnet.gc.pause.duration</c> by generation and reason, <c>dotnet.gc.suspension.duration</c>,
    /// <c>dotnet.thread_pool.work_item.delay</c> and <c>dotnet.lock.wait.duration</c>; <see langword="null"/> for none.</param>
    /// <returns>The running meter. Dispose it to stop.</returns>
    /// <exception cref="ArgumentException">The registry already has one of these names, for example from another meter.</exception>
    public static RuntimeMeter Start(HdrHistogramRegistry? registry = null)
    {
        RuntimeHistograms histograms = new(registry);
        try
        {
            return new RuntimeMeter(histograms);
        }
        catch (ArgumentException)
        {
            histograms.Dispose();
            throw;
        }
    }

    /// <summary>Reads the runtime's totals, which takes about a microsecond.</summary>
    /// <returns>The totals at the time of the call.</returns>
    public RuntimeTotals GetTotals()
    {
        // The difference of two generations must not decrease. It would if a collection occurred between the two calls.
        int all, older, oldest;
        do
        {
            (all, older, oldest) = (GC.CollectionCount(0), GC.CollectionCount(1), GC.CollectionCount(2));
        }
        while (all != GC.CollectionCount(0));

        return new()
        {
            Gen0CollectionCount = all,
            Gen1CollectionCount = older,
            Gen2CollectionCount = oldest,
            GcPauseTime = GC.GetTotalPauseDuration(),
            AllocatedBytes = GC.GetTotalAllocatedBytes(precise: false),
            ExceptionCount = Interlocked.Read(ref _exceptions),
            CompiledMethodCount = JitInfo.GetCompiledMethodCount() is > 0 and long count ? count : null,
            CompilationTime = JitInfo.GetCompilationTime(),
        };
    }

    /// <summary>Stops measuring and removes the histograms from the registry. They keep their values. Further calls do nothing.</summary>
    public void Dispose()
    {
        if (Interlocked.Exchange(ref _isDisposed, 1) == 1)
        {
            return;
        }

        AppDomain.CurrentDomain.FirstChanceException -= OnException;
        RuntimeSources.Remove(_reader, _threadPoolDelays);
        _histograms.Dispose();
    }

    private void OnException(object? sender, FirstChanceExceptionEventArgs e) => Interlocked.Increment(ref _exceptions);
}

/// <summary>The totals of this process's runtime at a point in time. Immutable. Subtract the values of two readings to get the totals of
/// the time between them.</summary>
public sealed record RuntimeTotals
{
    internal RuntimeTotals()
    {
    }

    /// <summary>The number of garbage collections of generation 0 and above, since the process started
    /// (<see cref="GC.CollectionCount"/>).</summary>
    public long Gen0CollectionCount { get; internal init; }

    /// <summary>The number of garbage collections of generation 1 and above, since the process started.</summary>
    public long Gen1CollectionCount { get; internal init; }

    /// <summary>The number of garbage collections of generation 2, since the process started.</summary>
    public long Gen2CollectionCount { get; internal init; }

    /// <summary>The time for which garbage collections paused all threads, since the process started
    /// (<see cref="GC.GetTotalPauseDuration"/>).</summary>
    public TimeSpan GcPauseTime { get; internal init; }

    /// <summary>The number of bytes allocated since the process started (<see cref="GC.GetTotalAllocatedBytes"/>). The value can be too
    /// high by up to 8 KB per thread, the size of its allocation context.</summary>
    public long AllocatedBytes { get; internal init; }

    /// <summary>The number of exceptions thrown since the meter started, including those that were caught. A rethrown exception counts
    /// again.</summary>
    public long ExceptionCount { get; internal init; }

    /// <summary>The number of methods compiled since the process started (<c>JitInfo</c>). A method counts once for each of its tiers.
    /// <see langword="null"/> with Native AOT, which compiles none.</summary>
    public long? CompiledMethodCount { get; internal init; }

    /// <summary>The time that all threads spent compiling methods, since the process started.</summary>
    public TimeSpan CompilationTime { get; internal init; }
}
