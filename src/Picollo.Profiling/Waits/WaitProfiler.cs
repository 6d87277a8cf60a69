using Picollo.Cpu;
using Picollo.Profiling.Events;
using Picollo.Profiling.Sampling;
using Picollo.Profiling.Symbols;
using Picollo.Profiling.Symbols.Files;

namespace Picollo.Profiling.Waits;

/// <summary>Measures what the flows of this process wait for, by events of the runtime. Linux only.</summary>
/// <remarks>No permission is needed. Threads of this class read the events. <see cref="Stop"/> and <see cref="Dispose"/> leave no
/// session, thread or file behind.</remarks>
internal sealed class WaitProfiler : IDisposable
{
    /// <summary>The maximum number of rows. The longest waits are kept.</summary>
    public const int MaxRows = 500;

    private const string Unavailable = "Waits cannot be measured: ";
    private const int BufferMegabytes = 16;

    /// <summary>A pool whose threads all wait adds a thread after half a second.</summary>
    private static readonly TimeSpan MaxPoolDelay = TimeSpan.FromSeconds(2);

    private readonly FlowTimeline _timeline;
    private readonly WaitCollector _waits;
    private readonly Source[] _sources;
    private readonly DateTimeOffset _startTime = DateTimeOffset.UtcNow;
    private readonly long _start;
    private readonly bool _isPoolReporting;

    private WaitProfiler(DiagnosticsPort port)
    {
        _timeline = new FlowTimeline(FlowRecorder.Start()); // before the first event
        List<EventSession> sessions = [];
        try
        {
            foreach ((EventProvider provider, bool hasStacks) in WaitCollector.Sources)
            {
                sessions.Add(EventSession.TryStart(port, BufferMegabytes, hasStacks, [provider], out string? reason)
                    ?? throw new MeasurementUnavailableException($"{Unavailable}{reason}.", MeasurementUnavailableCause.NotSupported));
            }

            _start = Stopwatch.GetTimestamp();
            _waits = new WaitCollector(_timeline);
            _sources = [.. sessions.Select((session, i) => new Source(session, _waits, i))];
            _isPoolReporting = WaitForPool();
        }
        catch
        {
            sessions.ForEach(session => session.Dispose()); // also if no thread can be started
            _timeline.Dispose();
            throw;
        }
    }

    /// <exception cref="MeasurementUnavailableException">Waits cannot be measured. The message contains the cause and the
    /// remedy.</exception>
    public static WaitProfiler Start() => Start(Environment.ProcessId);

    /// <summary>For tests of the reason why the port is missing. The flows are always those of this process.</summary>
    internal static WaitProfiler Start(int processId)
    {
        if (!OperatingSystem.IsLinux())
        {
            throw new MeasurementUnavailableException(
                "Waits can be measured only on Linux.", MeasurementUnavailableCause.NotSupported);
        }

        var files = new ProcessFiles(processId);
        return DiagnosticsPort.Find(files) is { } port
            ? new WaitProfiler(port)
            : throw new MeasurementUnavailableException(
                $"{Unavailable}{DiagnosticsPort.GetMissingReason(files, out _)}.", MeasurementUnavailableCause.NotSupported);
    }

    /// <summary>Ends the measurement and finds the names. Blocks for up to a second. Must be called once, before
    /// <see cref="Dispose"/>.</summary>
    public WaitProfile Stop()
    {
        TimeSpan duration = Stopwatch.GetElapsedTime(_start);
        long end = Stopwatch.GetTimestamp();
        Dispose();
        _waits.Complete(end);

        var files = new ProcessFiles(Environment.ProcessId);
        using PerfMapFile? perfMap = PerfMapFile.Request(files, out string? namesReason);
        var images = new CodeImages(files);
        PerfMap? compiled = perfMap?.Read(images.Budget);
        CodeMapping[] mappings = [.. CodeMapping.Parse(files.ReadMaps())];
        var names = new WaitNames(
            _waits.Stacks.Nodes, new CodeMap(mappings, compiled, images, includesKernel: false, kernel: null, showsTiers: false));
        WaitRow[] rows =
        [
            .. from label in _waits.Labels
               from sum in label.Value
               group sum.Value by (Label: label.Key, Names: NamesOf(sum.Key)) into sums
               let all = sums.Aggregate((one, other) => one.With(other))
               orderby all.Ticks descending
               select new WaitRow(
                   sums.Key.Label, sums.Key.Names.Kind, sums.Key.Names.Method, all.Count, TimeOf(all.Ticks), TimeOf(all.LongestTicks)),
        ];
        return new WaitProfile(
            _startTime, duration, [.. rows.Take(MaxRows)], [.. NotesOf(rows.Length, namesReason), .. images.Notes]);

        (string Kind, string Method) NamesOf(int node) => node switch
        {
            WaitSum.InQueue => (WaitProfile.PoolQueue, ""),
            WaitSum.InQueueBefore => (WaitProfile.PoolQueueBefore, ""),
            WaitSum.NoStack => ("", ""),
            _ => names.Find(node),
        };

        static TimeSpan TimeOf(long ticks) => Stopwatch.GetElapsedTime(0, ticks);
    }

    /// <summary>Ends the measurement.</summary>
    public void Dispose()
    {
        Array.ForEach(_sources, source => source.Dispose());
        _timeline.Dispose();
    }

    /// <summary>Waits for the first event of the thread pool. Its threads notice a session when they start to take work, or after 30 ms of
    /// work; what is queued before has no events.</summary>
    private bool WaitForPool()
    {
        while (!_waits.HasPoolEvents && Stopwatch.GetElapsedTime(_start) < MaxPoolDelay)
        {
            ThreadPool.UnsafeQueueUserWorkItem(static _ => { }, null);
            Thread.Sleep(10); // not a wait that is measured
        }

        return _waits.HasPoolEvents;
    }

    private IEnumerable<string> NotesOf(int rowCount, string? namesReason)
    {
        foreach (string problem in _sources.Select(source => source.Problem).OfType<string>())
        {
            yield return problem;
        }

        if (!_isPoolReporting)
        {
            yield return string.Create(
                CultureInfo.InvariantCulture,
                $"The thread pool reported no work within {MaxPoolDelay.TotalSeconds} s after the start. Times in its queue may be "
                + $"missing.");
        }

        if (namesReason is not null)
        {
            yield return namesReason;
        }

        if (_sources.Sum(source => source.LostCount) is > 0 and var lost)
        {
            yield return string.Create(
                CultureInfo.InvariantCulture, $"{lost:N0} events were lost, because there were too many. Waits are missing.");
        }

        if (_waits.UnknownCount > 0)
        {
            yield return string.Create(
                CultureInfo.InvariantCulture,
                $"The routes of {_waits.UnknownCount:N0} waits are unknown: threads switched between requests faster than could be "
                + $"recorded.");
        }

        if (rowCount > MaxRows)
        {
            yield return string.Create(CultureInfo.InvariantCulture, $"Only the {MaxRows:N0} longest of {rowCount:N0} rows are shown.");
        }
    }

    /// <summary>A session and the thread that reads it.</summary>
    private sealed class Source : IDisposable
    {
        /// <summary>The runtime sends events at most about 0.1 s late, unless the machine is busy.</summary>
        private static readonly long MaxDelayTicks = Stopwatch.Frequency;

        private readonly EventSession _session;
        private readonly NettraceReader _reader;
        private readonly Thread _thread;

        public Source(EventSession session, WaitCollector waits, int index)
        {
            _session = session;
            _reader = new NettraceReader(buffer => session.Read(buffer, Idle));
            _thread = new Thread(() => Run(waits, index)) { Name = "Picollo waits", IsBackground = true };
            _thread.UnsafeStart();

            void Idle() => waits.MoveTo(Stopwatch.GetTimestamp() - MaxDelayTicks, index);
        }

        /// <summary>Why the rest of the events could not be read; null if they were.</summary>
        public string? Problem { get; private set; }

        public long LostCount => _reader.LostCount;

        /// <summary>Ends the session and reads the rest of its events.</summary>
        public void Dispose()
        {
            _session.Stop();
            _thread.Join();
            _session.Dispose();
        }

        private void Run(WaitCollector waits, int index)
        {
            try
            {
                while (_reader.MoveNext())
                {
                    waits.Add(_reader, index);
                }
            }
            catch (InvalidDataException e)
            {
                Problem = e.Message;
                _session.Dispose(); // the runtime must not wait until its events are read
            }
        }
    }
}
