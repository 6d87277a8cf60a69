using Picollo.Cpu;
using Picollo.Metrics;

namespace Picollo.Cli.Top;

/// <summary>How much CPU time each process took over the session: for how many milliseconds it took which share.</summary>
/// <remarks>A process that never ran has no histogram but the time it was seen: of thousands of processes few have run. Those of ended
/// processes are dropped with the next sample.</remarks>
internal sealed class CpuHistory
{
    /// <summary>Steps of 0.01 % of a CPU.</summary>
    public const double StepsPerCpu = 10_000;

    private readonly Dictionary<int, Entry> _entries = [];
    private readonly List<int> _ended = [];
    private PlainHdrHistogramFactory<uint>? _factory;
    private ulong _most;
    private int _sample;

    /// <summary>How many processes it has.</summary>
    public int Count => _entries.Count;

    /// <summary>Adds what processes did in an interval.</summary>
    /// <param name="processes">All that there are.</param>
    /// <param name="interval">That their shares are of.</param>
    /// <param name="cpus">How many CPUs there are.</param>
    public void Add(ReadOnlySpan<ProcessCpu> processes, TimeSpan interval, int cpus)
    {
        ulong milliseconds = (ulong)Math.Round(interval.TotalMilliseconds);
        if (_factory is null)
        {
            // Shares of a few milliseconds may be rougher than there are CPUs, and CPUs may come.
            _most = (ulong)(4 * Math.Max(cpus, 4) * StepsPerCpu);
            _factory = HdrHistogram.Factory.WithRelativeError(0.01).WithMaxTrackableValue(_most);
        }

        _sample++;
        foreach (ref readonly ProcessCpu process in processes)
        {
            if (!_entries.TryGetValue(process.Id, out Entry? entry) || process.Usage < entry.Usage)
            {
                _entries[process.Id] = entry = new Entry();
            }

            entry.Usage = process.Usage;
            entry.Sample = _sample;
            if (process.Share is { } share && milliseconds > 0)
            {
                entry.Add(_factory, Math.Min((ulong)(share * StepsPerCpu), _most), milliseconds);
            }
        }

        DropEnded();
    }

    /// <summary>The shares of a process in <see cref="StepsPerCpu"/> (values) and for how long it had them in milliseconds (counts); null
    /// where it has none yet.</summary>
    public ReadOnlyHdrHistogram? Of(int process) => _entries.TryGetValue(process, out Entry? entry) ? entry.ToHistogram(_factory!) : null;

    /// <summary>For how long a process was seen, and the shares that it did not exceed for half of that, nine tenths, 99 of a hundred parts
    /// and at all.</summary>
    public bool TryGetShares(int process, out SessionShares shares)
    {
        shares = default;
        return _entries.TryGetValue(process, out Entry? entry) && entry.TryGetShares(out shares);
    }

    private void DropEnded()
    {
        _ended.Clear();
        foreach ((int id, Entry entry) in _entries)
        {
            if (entry.Sample != _sample)
            {
                _ended.Add(id);
            }
        }

        foreach (int id in _ended)
        {
            _entries.Remove(id);
        }
    }

    private sealed class Entry
    {
        private PlainHdrHistogram<uint>? _histogram; // null as long as it has not run
        private ulong _idleMilliseconds;

        public CpuUsage Usage { get; set; }

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

        public bool TryGetShares(out SessionShares shares)
        {
            if (_histogram is null)
            {
                shares = new(TimeSpan.FromMilliseconds(_idleMilliseconds), 0, 0, 0, 0);
                return _idleMilliseconds > 0;
            }

            Span<ulong> values = stackalloc ulong[4];
            _histogram.GetPercentileValues([50, 90, 99, 100], values);
            shares = new(
                TimeSpan.FromMilliseconds(_histogram.TotalCount),
                values[0] / StepsPerCpu,
                values[1] / StepsPerCpu,
                values[2] / StepsPerCpu,
                values[3] / StepsPerCpu);
            return _histogram.TotalCount > 0;
        }
    }
}

/// <summary>Shares of a CPU that a process did not exceed for a part of the time it was seen; within 1 %.</summary>
internal readonly record struct SessionShares(TimeSpan Seen, double P50, double P90, double P99, double Max);
