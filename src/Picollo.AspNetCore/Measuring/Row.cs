using Picollo.Cpu;
using Picollo.Metrics;

namespace Picollo.AspNetCore.Measuring;

/// <summary>Accumulates the values of all runs of a route or of named work. Thread-safe.</summary>
internal abstract class Row
{
    private static readonly PicolloOptions Defaults = new();

    private readonly bool _isRoute;
    private PerQuantity<InterlockedHdrHistogram<uint>?> _histograms;
    private PerQuantity<long> _sums;
    private long _total;
    private long _afterEnd;

    /// <param name="name">The name.</param>
    /// <param name="options">The options that select the quantities; null for the defaults.</param>
    /// <param name="method">The HTTP method of requests; null for named work.</param>
    protected Row(string name, PicolloOptions? options, string? method)
    {
        Name = name;
        _isRoute = method is not null;
        AfterEnd = CpuUsageAsyncWatcher.MakeSuccessor(new FlowLabel(method ?? "", name));
        foreach (QuantityDescription quantity in Quantities.Recorded)
        {
            _histograms[(int)quantity.Quantity] =
                quantity.IsRequested?.Invoke(options ?? Defaults) == false ? null : quantity.Histogram.Create();
        }
    }

    /// <summary>The name of the work, or the pattern of the route, never a path.</summary>
    public string Name { get; }

    /// <summary>The label of the runs in CPU profiles.</summary>
    public FlowLabel Label => AfterEnd.Label!;

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

    /// <summary>Returns the values of all runs, in nanoseconds or bytes; null if the quantity is not measured. A value is recorded when the
    /// run ends; for <see cref="Quantities.CompletedLater"/>, when its last thread has left it, or after
    /// <see cref="OpenSegments.MaxWait"/>.</summary>
    public InterlockedHdrHistogram<uint>? HistogramOf(Quantity quantity) => _histograms[(int)quantity];

    /// <summary>Returns the exact sum of the values in <see cref="HistogramOf"/>. A quantity without a histogram is summed over all
    /// runs.</summary>
    public long SumOf(Quantity quantity) => Interlocked.Read(ref _sums[(int)quantity]);

    /// <summary>The sums of user and kernel time; 0 if they are not measured separately.</summary>
    public CpuUsage Split => new(SumOf(Quantity.UserTime), SumOf(Quantity.KernelTime));

    /// <summary>Returns the name of the histogram of a quantity in the exposition.</summary>
    public string MetricOf(QuantityDescription quantity) => _isRoute ? quantity.RouteMetric : quantity.WorkMetric;

    /// <summary>Adds CPU time of a run that has not ended.</summary>
    public void CountRunning(long nanoseconds) => Interlocked.Add(ref _total, nanoseconds);

    /// <summary>Records a run that has ended.</summary>
    /// <param name="run">The values of the run.</param>
    /// <param name="counted">The part of its CPU time, in nanoseconds, that <see cref="CountRunning"/> has already added.</param>
    /// <param name="isInPercentiles">Whether the run is recorded in the histograms.</param>
    /// <remarks>The CPU histogram is written last, so that a reader that sees the run there sees all its values.</remarks>
    public void Record(in RunValues run, long counted = 0, bool isInPercentiles = true)
    {
        Interlocked.Add(ref _total, Math.Max(run.CpuNanoseconds - counted, 0));
        for (int i = Quantities.RecordedCount; i < Quantities.Count && run[(Quantity)i] is not RunValues.Unknown and long value; i++)
        {
            Interlocked.Add(ref _sums[i], value);
        }

        if (run.Open is { } open)
        {
            RecordLater(open, run[Quantities.CompletedLater], isInPercentiles);
        }

        if (isInPercentiles)
        {
            for (int i = Quantities.RecordedCount - 1; i >= 0; i--)
            {
                if (run.Open is null || i != (int)Quantities.CompletedLater)
                {
                    Record(i, run[(Quantity)i]);
                }
            }
        }
    }

    // A separate method, because a method with a closure always allocates it.
    private void RecordLater(OpenSegments open, long known, bool isRecorded) => open.OnEnded(bytes =>
    {
        if (isRecorded)
        {
            Record((int)Quantities.CompletedLater, known + bytes);
        }
    });

    private void Record(int quantity, long value)
    {
        if (_histograms[quantity] is { } histogram && value != RunValues.Unknown)
        {
            value = Math.Max(value, 0); // the part of a segment before a nested run is subtracted before its end is known
            Interlocked.Add(ref _sums[quantity], value);
            histogram.Record(Math.Clamp((ulong)value, histogram.MinTrackableValue, histogram.MaxTrackableValue));
        }
    }
}
