using Picollo.Cpu;
using Picollo.Metrics;

namespace Picollo.AspNetCore.Measuring;

/// <summary>The usage of one run: a request, or a run of named work.</summary>
/// <param name="CpuNanoseconds">The CPU time on all its threads.</param>
/// <param name="WallNanoseconds">The time from the start to the end of the run.</param>
/// <param name="Split">User and kernel time; null if they are not measured separately.</param>
/// <param name="AllocatedBytes">The bytes allocated on all its threads, without <paramref name="Open"/>; 0 if they are not
/// measured.</param>
/// <param name="Open">The segments whose bytes are not yet known; null for none.</param>
internal readonly record struct RunValues(
    long CpuNanoseconds, long WallNanoseconds, CpuUsage? Split, long AllocatedBytes = 0, OpenSegments? Open = null)
{
    public static RunValues Of(CpuUsageAsyncWatcher watcher, OpenSegments? open = null) => new(
        watcher.GetTotalNanoseconds(),
        watcher.WallTime.Ticks * TimeSpan.NanosecondsPerTick,
        watcher.TryGetSummaryCpuUsage(out CpuUsage split) ? split : null,
        watcher.AllocatedBytes,
        open);
}

/// <summary>The usage of all runs of a route or of named work. Thread-safe.</summary>
/// <param name="name">The name.</param>
/// <param name="countsAllocations">Whether allocated bytes are measured.</param>
/// <param name="method">The HTTP method of requests; empty for other work.</param>
internal class Row(string name, bool countsAllocations = false, string method = "")
{
    private const ulong MaxBytes = 1UL << 40;

    private const ulong MinNanoseconds = 1_000;
    private const ulong MaxNanoseconds = 3_600_000_000_000;

    // An error of one percent between a microsecond and an hour takes at most 9 KB, for any number of threads. Thread-local histograms
    // took as much for each thread that served the route: 840 MB after a burst on 200 pool threads with 256 routes.
    private static readonly InterlockedHdrHistogramFactory<uint> Nanoseconds = HdrHistogram.Factory
        .WithRelativeError(0.01)
        .WithMinTrackableValue(MinNanoseconds)
        .WithMaxTrackableValue(MaxNanoseconds)
        .WithInterlocked();

    private static readonly InterlockedHdrHistogramFactory<uint> Bytes = HdrHistogram.Factory
        .WithRelativeError(0.01)
        .WithMaxTrackableValue(MaxBytes)
        .WithInterlocked();

    private long _cpu;
    private long _wall;
    private long _allocated;
    private long _total;
    private long _afterEnd;
    private long _user;
    private long _kernel;

    /// <summary>The name of the work, or the pattern of the route, never a path.</summary>
    public string Name { get; } = name;

    /// <summary>The label of the runs in CPU profiles.</summary>
    public FlowLabel Label => AfterEnd.Label!;

    /// <summary>The CPU time of each run, in nanoseconds. Values outside the range are clamped to it.</summary>
    public InterlockedHdrHistogram<uint> Cpu { get; } = Nanoseconds.Create();

    /// <summary>The wall time of each run, in nanoseconds. Values outside the range are clamped to it.</summary>
    public InterlockedHdrHistogram<uint> Wall { get; } = Nanoseconds.Create();

    /// <summary>The bytes allocated by each run; null if they are not measured. A run is recorded when its last thread has left it, or
    /// after <see cref="OpenSegments.MaxWait"/>, which may be later than in the other histograms.</summary>
    public InterlockedHdrHistogram<uint>? Allocated { get; } = countsAllocations ? Bytes.Create() : null;

    /// <summary>The exact sum of the values in <see cref="Allocated"/>.</summary>
    public long AllocatedBytes => Interlocked.Read(ref _allocated);

    /// <summary>The exact sum of the CPU times in <see cref="Cpu"/>, in nanoseconds.</summary>
    public long CpuNanoseconds => Interlocked.Read(ref _cpu);

    /// <summary>The exact sum of the wall times in <see cref="Wall"/>, in nanoseconds.</summary>
    public long WallNanoseconds => Interlocked.Read(ref _wall);

    /// <summary>The exact CPU time of all runs, in nanoseconds. For runs that have not ended, it includes the time up to the last
    /// <see cref="RunList.Read"/>. Never decreases.</summary>
    public long TotalCpuNanoseconds => Interlocked.Read(ref _total);

    /// <summary>The watcher of work that continues after the end of its run.</summary>
    public CpuUsageAsyncWatcher AfterEnd { get; } = CpuUsageAsyncWatcher.MakeSuccessor(new FlowLabel(method, name));

    /// <summary>The current CPU time of <see cref="AfterEnd"/>, in nanoseconds. Never decreases.</summary>
    public long AfterEndNanoseconds
    {
        get
        {
            long now = AfterEnd.GetTotalNanoseconds(), latest = Interlocked.Read(ref _afterEnd);
            while (latest < now)
            {
                long seen = Interlocked.CompareExchange(ref _afterEnd, now, latest);
                latest = seen == latest ? now : seen;
            }

            return latest;
        }
    }

    /// <summary>The sums of user and kernel time; 0 if they are not measured separately. There are no histograms of them, because the
    /// kernel derives the shares from its ticks, which is accurate only for many runs.</summary>
    public CpuUsage Split => new(Interlocked.Read(ref _user), Interlocked.Read(ref _kernel));

    /// <summary>Adds CPU time of a run that has not ended.</summary>
    public void CountRunning(long nanoseconds) => Interlocked.Add(ref _total, nanoseconds);

    /// <summary>Records a run that has ended.</summary>
    /// <param name="usage">The usage of the run.</param>
    /// <param name="counted">The part of its CPU time, in nanoseconds, that <see cref="CountRunning"/> has already added.</param>
    /// <param name="isInPercentiles">Whether the run is recorded in the histograms.</param>
    /// <remarks>The CPU histogram is written last, so that a reader that sees the run there sees all its values.</remarks>
    public void Record(in RunValues usage, long counted = 0, bool isInPercentiles = true)
    {
        Interlocked.Add(ref _total, Math.Max(usage.CpuNanoseconds - counted, 0));
        if (usage.Split is { } split)
        {
            Interlocked.Add(ref _user, split.UserNanoseconds);
            Interlocked.Add(ref _kernel, split.KernelNanoseconds);
        }

        if (usage.Open is { } open)
        {
            RecordLater(open, usage.AllocatedBytes, isInPercentiles);
        }

        if (isInPercentiles)
        {
            Wall.Record(WithinRange(usage.WallNanoseconds));
            Interlocked.Add(ref _wall, usage.WallNanoseconds);
            if (usage.Open is null)
            {
                RecordAllocated(usage.AllocatedBytes);
            }

            Interlocked.Add(ref _cpu, usage.CpuNanoseconds);
            Cpu.Record(WithinRange(usage.CpuNanoseconds));
        }
    }

    // A separate method, because a method with a closure always allocates it.
    private void RecordLater(OpenSegments open, long known, bool isRecorded) => open.OnEnded(bytes =>
    {
        if (isRecorded)
        {
            RecordAllocated(known + bytes);
        }
    });

    private void RecordAllocated(long bytes)
    {
        if (Allocated is { } allocated)
        {
            bytes = Math.Max(bytes, 0); // the part of a segment before a nested run is subtracted before its end is known
            allocated.Record(Math.Min((ulong)bytes, MaxBytes));
            Interlocked.Add(ref _allocated, bytes);
        }
    }

    private static ulong WithinRange(long nanoseconds) => Math.Clamp((ulong)Math.Max(nanoseconds, 0), MinNanoseconds, MaxNanoseconds);
}
