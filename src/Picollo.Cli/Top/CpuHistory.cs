using Picollo.Cpu;
using Picollo.Metrics;

namespace Picollo.Cli.Top;

/// <summary>The CPU shares of each process over the session, weighted by milliseconds.</summary>
/// <remarks>A process that has not run has no histogram, because only a few of thousands of processes run. Processes that have exited are
/// removed with the next sample.</remarks>
internal sealed class CpuHistory
{
    /// <summary>The number of steps per CPU: a step is 0.01 %.</summary>
    public const double StepsPerCpu = 10_000;

    private readonly Dictionary<int, Entry> _entries = [];
    private PlainHdrHistogramFactory<uint>? _factory;
    private ulong _most;
    private int _sample;

    public int Count => _entries.Count;

    public void Add(IReadOnlyList<ProcessCpu> processes, TimeSpan interval, int cpus)
    {
        ulong milliseconds = (ulong)Math.Round(interval.TotalMilliseconds);
        if (_factory is null)
        {
            // A share over a few milliseconds may exceed the number of CPUs, and CPUs may be added.
            _most = (ulong)(4 * Math.Max(cpus, 4) * StepsPerCpu);
            _factory = HdrHistogram.Factory.WithRelativeError(0.01).WithMaxTrackableValue(_most);
        }

        _sample++;
        foreach (ProcessCpu process in processes)
        {
            if (!_entries.TryGetValue(process.Id, out Entry? entry) || process.StartNanoseconds != entry.StartNanoseconds)
            {
                _entries[process.Id] = entry = new Entry(process.StartNanoseconds);
            }

            entry.Sample = _sample;
            if (process.Share is { } share && milliseconds > 0)
            {
                entry.Add(_factory, Math.Min((ulong)(share * StepsPerCpu), _most), milliseconds);
            }
        }

        foreach ((int id, Entry entry) in _entries)
        {
            if (entry.Sample != _sample)
            {
                _entries.Remove(id); // permitted during an enumeration
            }
        }
    }

    /// <summary>Returns the histogram of a process: values are shares in <see cref="StepsPerCpu"/>, counts are milliseconds. Returns null
    /// if the process has no share yet.</summary>
    public ReadOnlyHdrHistogram? Find(int process) => _entries.GetValueOrDefault(process)?.ToHistogram(_factory!);

    /// <summary>Returns the percentiles of the shares of a process; null if the process has no share yet.</summary>
    public SessionShares? GetShares(int process) => _entries.GetValueOrDefault(process)?.GetShares();

    private sealed class Entry(long startNanoseconds)
    {
        private PlainHdrHistogram<uint>? _histogram; // null until the process has run
        private ulong _idleMilliseconds;

        /// <summary>The start time, which distinguishes processes with the same ID.</summary>
        public long StartNanoseconds => startNanoseconds;

        public int Sample { get; set; }

        public void Add(PlainHdrHistogramFactory<uint> factory, ulong share, ulong milliseconds)
        {
            if (_histogram is null && share == 0)
            {
                _idleMilliseconds += milliseconds;
            }
            else
            {
                ToHistogram(factory)!.Record(share, milliseconds);
            }
        }

        public PlainHdrHistogram<uint>? ToHistogram(PlainHdrHistogramFactory<uint> factory)
        {
            if (_histogram is null)
            {
                _histogram = factory.Create();
                if (_idleMilliseconds > 0)
                {
                    _histogram.Record(0, _idleMilliseconds);
                }
            }

            return _histogram;
        }

        public SessionShares? GetShares()
        {
            Span<ulong> values = stackalloc ulong[4];
            _histogram?.GetPercentileValues([50, 90, 99, 100], values);
            ulong seen = _histogram?.TotalCount ?? _idleMilliseconds;
            return seen == 0 ? null : new(
                TimeSpan.FromMilliseconds(seen),
                values[0] / StepsPerCpu,
                values[1] / StepsPerCpu,
                values[2] / StepsPerCpu,
                values[3] / StepsPerCpu);
        }
    }
}

/// <summary>Percentiles of the CPU share of a process over the time in which it was observed, with a relative error of at most 1
/// %.</summary>
internal readonly record struct SessionShares(TimeSpan Seen, double P50, double P90, double P99, double Max);
