using Picollo.Cpu;
using Picollo.Metrics;

namespace Picollo.AspNetCore.Measuring;

/// <summary>Accumulates the values of all runs of a route or of named work. Thread-safe.</summary>
internal abstract class Row
{
    private static readonly PicolloRequestOptions Defaults = new();

    private readonly bool _isRoute;
    private PerFact<InterlockedHdrHistogram<uint>?> _histograms;
    private PerFact<long> _sums;
    private long _total;
    private long _afterEnd;

    /// <summary>The options are null for the defaults. The method is null for named work.</summary>
    protected Row(string name, PicolloRequestOptions? options, string? method)
    {
        Name = name;
        _isRoute = method is not null;
        AfterEnd = CpuUsageAsyncWatcher.MakeSuccessor(new FlowLabel(method ?? "", name));
        foreach (RunFactDescription fact in RunFacts.Recorded)
        {
            bool isMeasured = MetricOf(fact) is not null && fact.IsRequested?.Invoke(options ?? Defaults) != false;
            _histograms[(int)fact.Fact] = isMeasured ? fact.Histogram.Create() : null;
        }

        Latency = options?.MeasuresLatency == true ? new LatencyMatrix() : null;
    }

    /// <summary>The name of the work, or the pattern of the route, never a path.</summary>
    public string Name { get; }

    public FlowLabel Label => AfterEnd.Label!;

    /// <summary>The times in all states of the runs in the percentiles; null if they are not measured. <see cref="LateLatencies"/> adds a
    /// run after its end.</summary>
    public LatencyMatrix? Latency { get; }

    /// <summary>The exact CPU time of all runs, in nanoseconds. For runs that have not ended, it includes the time up to the last
    /// <see cref="RunList.Read"/>. Never decreases.</summary>
    public long TotalCpuNanoseconds => Interlocked.Read(ref _total);

    /// <summary>The watcher of work that continues after the end of its run.</summary>
    public CpuUsageAsyncWatcher AfterEnd { get; }

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

    /// <summary>Returns the values of all runs, in nanoseconds or bytes; null if the fact is not measured. A value is recorded when the
    /// run ends; for <see cref="RunFacts.CompletedLater"/>, when its last thread has left it, or after
    /// <see cref="OpenSegments.MaxWait"/>.</summary>
    public InterlockedHdrHistogram<uint>? HistogramOf(RunFact fact) => _histograms[(int)fact];

    /// <summary>Returns the histogram of a fact for the outputs; null if the fact is not measured, or is rare and has no values.</summary>
    public InterlockedHdrHistogram<uint>? ShownHistogramOf(RunFactDescription fact) =>
        HistogramOf(fact.Fact) is { } histogram && !(fact.IsRare && histogram.TotalCount == 0) ? histogram : null;

    /// <summary>Returns the exact sum of the values in <see cref="HistogramOf"/>. A fact without a histogram is summed over all
    /// runs.</summary>
    public long SumOf(RunFact fact) => Interlocked.Read(ref _sums[(int)fact]);

    /// <summary>The sums of user and kernel time; 0 if they are not measured separately.</summary>
    public CpuUsage Split => new(SumOf(RunFact.UserTime), SumOf(RunFact.KernelTime));

    /// <summary>Returns the name of the histogram of a fact in the exposition; null if the runs do not have the fact.</summary>
    public string? MetricOf(RunFactDescription fact) => _isRoute ? fact.RouteMetric : fact.WorkMetric;

    public void CountRunning(long nanoseconds) => Interlocked.Add(ref _total, nanoseconds);

    /// <param name="run">The values of the run.</param>
    /// <param name="counted">The part of its CPU time, in nanoseconds, that <see cref="CountRunning"/> has already added.</param>
    /// <param name="isInPercentiles">Whether the run is recorded in the histograms.</param>
    /// <remarks>The CPU histogram is written last, so that a reader that sees the run there sees all its values.</remarks>
    public void Record(in RunValues run, long counted = 0, bool isInPercentiles = true)
    {
        Interlocked.Add(ref _total, Math.Max(run.CpuNanoseconds - counted, 0));
        for (int i = RunFacts.RecordedCount; i < RunFacts.Count && run[(RunFact)i] is not RunValues.Unknown and long value; i++)
        {
            Interlocked.Add(ref _sums[i], value);
        }

        if (run.Open is { } open)
        {
            RecordLater(open, run[RunFacts.CompletedLater], isInPercentiles);
        }

        if (isInPercentiles)
        {
            for (int i = RunFacts.RecordedCount - 1; i >= 0; i--)
            {
                if (run.Open is null || i != (int)RunFacts.CompletedLater)
                {
                    Record(i, run[(RunFact)i]);
                }
            }
        }
    }

    // A separate method, because a method with a closure always allocates it.
    private void RecordLater(OpenSegments open, long known, bool isRecorded) => open.OnEnded(bytes =>
    {
        if (isRecorded)
        {
            Record((int)RunFacts.CompletedLater, known + bytes);
        }
    });

    private void Record(int fact, long value)
    {
        if (_histograms[fact] is { } histogram && value != RunValues.Unknown)
        {
            value = Math.Max(value, 0); // the part of a segment before a nested run is subtracted before its end is known
            Interlocked.Add(ref _sums[fact], value);
            histogram.Record(Math.Clamp((ulong)value, histogram.MinTrackableValue, histogram.MaxTrackableValue));
        }
    }
}
