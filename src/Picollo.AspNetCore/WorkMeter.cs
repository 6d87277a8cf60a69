using Microsoft.Extensions.Options;
using Picollo.AspNetCore.Requests;
using Picollo.AspNetCore.Work;
using Picollo.Cpu;

namespace Picollo.AspNetCore;

/// <summary>Measures work that is not a request, by name: its CPU time on all threads, and its duration. The rows are on the page, in JSON
/// and in the exposition, beside the routes. A service that <c>AddPicollo()</c> adds. Thread-safe.</summary>
/// <remarks>
/// <para>The CPU time is that of <see cref="CpuUsageAsyncWatcher"/>: across awaits, with the tasks and threads that the work starts. Inside
/// a request, or inside other measured work, it counts for the innermost name only, so that all rows together are no more than the process
/// has taken. The total of a row grows while its work runs; the percentiles have a run when it ends.</para>
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
    private readonly RowTable<string, WorkUsage> _rows;
    private readonly RunningWorkList _running;
    private readonly RequestReporter _reporter;
    private readonly CpuUsageDetail _detail;
    private readonly bool _countsAllocations;

    internal WorkMeter(IOptions<PicolloOptions> options, RunningWorkList running, RequestReporter reporter)
    {
        (_running, _reporter, _detail, _countsAllocations) = (running, reporter, options.Value.Detail, options.Value.MeasureAllocations);
        _rows = new(options.Value.MaxRoutes, RouteTable.Other, name => new WorkUsage(name, _countsAllocations));
    }

    /// <summary>All names that were measured, in their order.</summary>
    internal IReadOnlyList<WorkUsage> All => [.. _rows.All.OrderBy(row => row.Name, StringComparer.Ordinal)];

    /// <summary>Measures what the current flow runs from now on, until the result is disposed.</summary>
    /// <param name="name">The row. Use a fixed name, not one from data: beyond <see cref="PicolloOptions.MaxRoutes"/> names, further ones
    /// share the row <c>(other)</c>.</param>
    /// <returns>To be disposed in the same method. Further calls of <see cref="IDisposable.Dispose"/> do nothing.</returns>
    /// <remarks>If this machine does not report the CPU time of threads, nothing is measured, and the log says so once.</remarks>
    /// <exception cref="ArgumentNullException"><paramref name="name"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentException"><paramref name="name"/> is empty.</exception>
    public IDisposable Measure(string name)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        return new Run(this, _reporter.CanMeasure ? _rows.Get(name) : null);
    }

    private sealed class Run : RunningWork, IDisposable
    {
        private readonly WorkMeter _meter;
        private readonly RunDescription? _description;
        private readonly CpuUsageAsyncWatcher? _watcher;
        private IDisposable? _surrounding;

        public Run(WorkMeter meter, WorkUsage? row)
        {
            _meter = meter;
            if (row is not null)
            {
                // The request around it is not watched meanwhile: the time counts once. Spans around it have all time in them.
                _description = new RunDescription(row);
                _surrounding = WatchedFlow.SuspendExceptSpans();
                _watcher = new CpuUsageAsyncWatcher(meter._detail, meter._countsAllocations) { Label = row.Label };
                meter._running.Add(this, _watcher);
            }
        }

        public override RunDescription? Describe() => _description;

        public void Dispose()
        {
            if (Interlocked.Exchange(ref _surrounding, null) is not { } surrounding)
            {
                return;
            }

            _watcher!.Stop();
            surrounding.Dispose();
            (long counted, _) = _meter._running.Remove(this);
            _description!.Row.Record(RunUsage.Of(_watcher), counted);
        }
    }
}
