using Picollo.AspNetCore.Measuring;
using Picollo.Cpu;

namespace Picollo.AspNetCore;

/// <summary>Measures the CPU time on all threads and the duration of work that is not a request, by name. The page, JSON and the exposition
/// show named work next to the routes. <c>AddPicollo()</c> adds this service. Thread-safe.</summary>
/// <remarks>
/// <para>The CPU time is measured by a <see cref="CpuUsageAsyncWatcher"/>: across awaits, and including the tasks and threads that the work
/// starts. Inside a request or other measured work, it is counted only for the innermost name, so that the sum of all rows does not exceed
/// the CPU time of the process. The total of a row increases while its work runs. The percentiles include a run when it ends.</para>
/// <para>Runs are counted by result: completed, failed or canceled. See <see cref="MeasuredWork"/>.</para>
/// <example>
/// <code>
/// public class ImportService(WorkMeter meter) : BackgroundService
/// {
///     protected override async Task ExecuteAsync(CancellationToken stoppingToken)
///     {
///         using PeriodicTimer timer = new(TimeSpan.FromHours(1));
///         do
///         {
///             using (meter.Measure("import"))
///             {
///                 await ImportAsync(stoppingToken);
///             }
///         }
///         while (await timer.WaitForNextTickAsync(stoppingToken));
///     }
/// }
/// </code>
/// </example>
/// </remarks>
public sealed class WorkMeter
{
    private readonly RowTable<string, WorkRow> _rows;
    private readonly RunList _running;
    private readonly RequestReporter _reporter;
    private readonly PicolloRequestOptions _options;

    internal WorkMeter(IOptions<PicolloOptions> options, RunList running, RequestReporter reporter)
    {
        (_running, _reporter, _options) = (running, reporter, options.Value.Requests);
        _rows = new(_options.MaxRoutes, RouteTable.Other, name => new WorkRow(name, _options));
    }

    internal IReadOnlyList<WorkRow> All => [.. _rows.All.OrderBy(row => row.Name, StringComparer.Ordinal)];

    /// <summary>Measures the current flow from now on, until the result is disposed.</summary>
    /// <param name="name">The name of the row. Use a fixed name, not one that is built from data: after
    /// <see cref="PicolloRequestOptions.MaxRoutes"/> names, further names share the row <c>(other)</c>.</param>
    /// <returns>An object that ends the measurement. Dispose it in the same method, with a <c>using</c> statement, so that exceptions are
    /// detected.</returns>
    /// <remarks>If this machine does not report the CPU time of threads, nothing is measured, and this is logged once.</remarks>
    /// <exception cref="ArgumentNullException"><paramref name="name"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentException"><paramref name="name"/> is empty.</exception>
    public MeasuredWork Measure(string name)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        return new MeasuredWork(Start(name));
    }

    /// <summary>Starts measuring a run whose caller reports the result.</summary>
    internal WorkRun Start(string name) => new(this, _reporter.CanMeasure ? RowOf(name) : null);

    internal WorkRow RowOf(string name) => _rows.Get(name);

    internal sealed class WorkRun : Run, IDisposable
    {
        private readonly WorkMeter _meter;
        private readonly WorkRow? _row;
        private readonly CpuUsageAsyncWatcher? _watcher;
        private readonly nint _handledBefore;
        private Exception? _failure;
        private bool _isComplete;
        private IDisposable? _surrounding;

        public WorkRun(WorkMeter meter, WorkRow? row)
        {
            _meter = meter;
            if (row is not null)
            {
                // The surrounding request is not watched during this call, so that the time is counted once. Surrounding spans include
                // the time.
                _row = row;
                _handledBefore = LeavingException.Current;
                _surrounding = WatchedFlow.SuspendExceptSpans();
                _watcher = RunValues.StartWatcher(meter._options);
                _watcher.Label = row.Label;
                meter._running.Add(this, _watcher);
            }
        }

        /// <summary>Whether the run is measured and has not ended.</summary>
        public bool IsMeasured => Volatile.Read(ref _surrounding) is not null;

        public override RunReading? Describe() => _row is null ? null : new(_row);

        public void Fail(Exception failure) => Volatile.Write(ref _failure, failure);

        /// <summary>Counts the run as completed. Otherwise, a run that ends while another exception is being handled on the thread looks
        /// like a failure: in a continuation of code in a <c>catch</c> block.</summary>
        public void Complete() => _isComplete = true;

        public void Dispose()
        {
            if (Interlocked.Exchange(ref _surrounding, null) is not { } surrounding)
            {
                return;
            }

            WorkResult result = _isComplete ? WorkResult.Completed
                : Volatile.Read(ref _failure) is { } failure ? LeavingException.ResultOf(failure)
                : LeavingException.ResultSince(_handledBefore);
            OpenSegments? open = _watcher!.StopFor(null, waits: true);
            surrounding.Dispose();
            Count(result, open);
        }

        /// <summary>Ends the run on any thread and in any flow, unless it has already ended.</summary>
        public void End(WorkResult result)
        {
            if (Interlocked.Exchange(ref _surrounding, null) is not null)
            {
                Count(result, _watcher!.StopFor(null, waits: true));
            }
        }

        private void Count(WorkResult result, OpenSegments? open)
        {
            (long counted, _) = _meter._running.Remove(this);
            _row!.Count(result);
            RunValues values = new(_watcher!, open);
            _row.Record(values, counted);
            if (values.Timed is { } timed)
            {
                _meter._reporter.Late.Add(_row, timed);
            }
        }
    }
}

/// <summary>A run of named work that <see cref="WorkMeter.Measure"/> measures. Dispose it at the end of the work. Copies are the same run.
/// The default value measures nothing. Thread-safe.</summary>
/// <remarks>A run has failed if an exception leaves the block of its <c>using</c> statement. It was canceled if this exception is an
/// <see cref="OperationCanceledException"/> that was not caused by a timeout of an <c>HttpClient</c>. The runtime reports only that an
/// exception is being handled on the thread: a run whose last continuation is called in a <c>catch</c> block of other code also counts as
/// failed.</remarks>
public readonly struct MeasuredWork : IDisposable
{
    private readonly WorkMeter.WorkRun? _run; // null only in the default value

    internal MeasuredWork(WorkMeter.WorkRun run) => _run = run;

    /// <summary>Counts the run as failed, or as canceled if <paramref name="failure"/> is an
    /// <see cref="OperationCanceledException"/>.</summary>
    /// <remarks>Call it for an exception that the work itself catches. With Native AOT, also call it for all other exceptions, because the
    /// runtime does not report there that an exception leaves a block. If it is called several times, the last call takes effect. Calls
    /// after <see cref="Dispose"/> have no effect.</remarks>
    /// <param name="failure">The exception.</param>
    /// <exception cref="ArgumentNullException"><paramref name="failure"/> is <see langword="null"/>.</exception>
    public void Fail(Exception failure)
    {
        ArgumentNullException.ThrowIfNull(failure);
        _run?.Fail(failure);
    }

    /// <summary>Ends the measurement. Further calls, also on copies, have no effect.</summary>
    public void Dispose() => _run?.Dispose();
}
