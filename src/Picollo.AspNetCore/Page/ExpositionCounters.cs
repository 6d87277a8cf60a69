using System.Buffers;
using Picollo.AspNetCore.Measuring;
using Picollo.AspNetCore.Meters;
using Picollo.AspNetCore.Reading;
using Picollo.AspNetCore.Workers;
using Picollo.Cpu;
using Picollo.Diagnostics;
using Picollo.Export;
using Picollo.Scheduling;

namespace Picollo.AspNetCore.Page;

/// <summary>Writes the counters of the exposition, which are not part of any histogram.</summary>
internal sealed class ExpositionCounters(
    PageRows rows,
    WorkMeter work,
    RunList running,
    ProcessAccount account,
    RuntimeService runtime,
    MeterBridge meters,
    CpuWorkers workers)
{
    private static readonly (ResponseClass Class, string Name)[] Classes =
    [
        (ResponseClass.Informational, "1xx"),
        (ResponseClass.Success, "2xx"),
        (ResponseClass.Redirection, "3xx"),
        (ResponseClass.ClientError, "4xx"),
        (ResponseClass.ServerError, "5xx"),
        (ResponseClass.Aborted, "aborted"),
    ];

    private static readonly (WorkResult Result, string Name)[] Results =
        [(WorkResult.Completed, "completed"), (WorkResult.Failed, "failed"), (WorkResult.Canceled, "canceled")];

    /// <returns>The names that histograms of the same exposition must not have.</returns>
    public IReadOnlySet<string> Write(IBufferWriter<byte> output, PrometheusFormat format)
    {
        Families families = new(output, format);

        // Read also adds the CPU time of runs that have not ended to their rows.
        ILookup<Row, RunReading> inFlight = running.Read().ToLookup(run => run.Row);
        WriteRoutes(families, rows.Routes.All, inFlight);
        foreach (IGrouping<OtlpMetric, OtlpCounter> times in rows.TimesInStates.GroupBy(counter => counter.Metric))
        {
            families.WriteCounter(
                PrometheusNames.NameOf(times.Key.Name, times.Key.Unit),
                times.Key.Description,
                times.Select(counter => new PrometheusSample(counter.Value, [.. counter.Attributes])));
        }

        IReadOnlyList<WorkRow> named = work.All;
        if (named.Count > 0)
        {
            families.WriteCounter(
                "picollo_work_cpu_seconds",
                "CPU time of named work, by name, including work that has not ended.",
                named.Select(row => new PrometheusSample(row.TotalCpuNanoseconds / 1e9, [new("work", row.Name)])));

            // Also results that have not occurred, so that the first failure is an increase.
            families.WriteCounter(
                "picollo_work_runs",
                "Ended runs of named work, by name and result.",
                named.SelectMany(row => Results.Select(
                    result => new PrometheusSample(row[result.Result], [new("result", result.Name), new("work", row.Name)]))));
        }

        if (workers.IsStarted)
        {
            WriteWorkers(families, workers.Pool);
        }

        if (runtime.Totals is { } totals)
        {
            WriteRuntime(families, totals);
        }

        if (meters.Histograms is { UnavailableReason: null } recorded)
        {
            WriteMeters(families, recorded);
        }

        IReadOnlyList<CpuPart> parts = account.Read();
        if (parts.Count > 0)
        {
            families.WriteCounter(
                "process_cpu_seconds",
                "User and kernel CPU time of the process.",
                [new(parts.Sum(part => part.Nanoseconds) / 1e9)]);
            families.WriteCounter(
                "picollo_process_cpu_seconds",
                "CPU time of the process by part. The sum of all parts is process_cpu_seconds_total.",
                parts.Select(part => new PrometheusSample(part.Nanoseconds / 1e9, [new("part", part.Name)])));
        }

        return families.Names;
    }

    private static void WriteWorkers(Families families, CpuWorkerPool pool)
    {
        CpuWorkerStatistics statistics = pool.Statistics;
        families.WriteCounter(
            "picollo_cpu_workers_tasks",
            "Ended tasks of the CPU workers, by result.",
            [
                new(statistics.CompletedCount, [new("result", "completed")]),
                new(statistics.FailedCount, [new("result", "failed")]),
                new(statistics.CanceledCount, [new("result", "canceled")]),
            ]);
        Write("picollo_cpu_workers", "Number of CPU workers.", pool.WorkerCount);
        Write("picollo_cpu_workers_running_tasks", "Tasks that are running on a CPU worker.", statistics.GetRunningTasks().Count);
        Write("picollo_cpu_workers_waiting_tasks", "Tasks that are waiting for a CPU worker.", statistics.WaitingCount);

        void Write(string name, string help, double value) => families.WriteGauge(name, help, [new(value)]);
    }

    /// <summary>Writes the runtime's totals under the names of the runtime's own meter, <c>System.Runtime</c>.</summary>
    private static void WriteRuntime(Families families, RuntimeTotals totals)
    {
        families.WriteCounter(
            "dotnet_gc_collections",
            "Garbage collections, by the oldest generation collected.",
            [
                new(totals.Gen0CollectionCount - totals.Gen1CollectionCount, [new("gc_heap_generation", "gen0")]),
                new(totals.Gen1CollectionCount - totals.Gen2CollectionCount, [new("gc_heap_generation", "gen1")]),
                new(totals.Gen2CollectionCount, [new("gc_heap_generation", "gen2")]),
            ]);
        Write("dotnet_gc_pause_time_seconds", "Time for which garbage collections paused all threads.", totals.GcPauseTime.TotalSeconds);
        Write("dotnet_gc_heap_total_allocated_bytes", "Allocated bytes.", totals.AllocatedBytes);
        Write("dotnet_exceptions", "Exceptions thrown since the application started, including caught ones.", totals.ExceptionCount);
        Write("dotnet_jit_compiled_methods", "Compiled methods. A method counts once for each tier.", totals.CompiledMethodCount ?? 0);
        Write("dotnet_jit_compilation_time_seconds", "Time spent compiling methods.", totals.CompilationTime.TotalSeconds);

        void Write(string name, string help, double value) => families.WriteCounter(name, help, [new(value)]);
    }

    private static void WriteMeters(Families families, MeterHistograms meters)
    {
        families.WriteCounter(
            "picollo_meters_unrecorded_measurements",
            "Measurements that were not recorded, by reason.",
            [
                new(meters.NegativeMeasurementCount, [new("reason", "negative")]),
                new(meters.NaNMeasurementCount, [new("reason", "not_a_number")]),
            ]);
        families.WriteCounter(
            "picollo_meters_overflow_measurements",
            "Measurements recorded in series with the label otel_metric_overflow, because their instrument has too many series.",
            [new(meters.OverflowSeriesMeasurementCount)]);
        families.WriteCounter(
            "picollo_meters_refused_instruments",
            "Instruments that are ignored because there are too many.",
            [new(meters.RefusedInstrumentCount)]);
    }

    private void WriteRoutes(Families families, IReadOnlyList<RouteRow> all, ILookup<Row, RunReading> inFlight)
    {
        if (all.Count == 0)
        {
            return;
        }

        families.WriteGauge(
            "picollo_http_server_max_routes",
            "Maximum number of routes that are counted separately. Requests to further routes have the route (other).",
            [new(rows.Routes.Capacity)]);
        families.WriteGauge(
            "picollo_http_server_active_requests",
            "Requests that have not ended, by method and route.",
            all.Select(route => SampleOf(route, inFlight[route].Count())));

        // Only classes that occurred, because a series that is always 0 costs as much as any other.
        families.WriteCounter(
            "picollo_http_server_responses",
            "Requests by method, route and response class. A gRPC call has the class of its status, and a response that fails after its "
            + "start has the class 5xx. Requests aborted by the client have the class aborted.",
            all.SelectMany(route => Classes.Where(response => route[response.Class] > 0).Select(
                response => SampleOf(route, route[response.Class], [new("response", response.Name)]))));
        families.WriteCounter(
            "picollo_http_server_rejected_requests",
            "Requests rejected by a rate limit or by the queue of the CPU workers. The percentiles exclude them.",
            all.Where(route => route.Rejected > 0).Select(route => SampleOf(route, route.Rejected)));
        families.WriteCounter(
            "picollo_http_server_cpu_seconds",
            "CPU time of requests, by method and route, including requests that have not ended.",
            all.Select(route => SampleOf(route, route.TotalCpuNanoseconds / 1e9)));
        families.WriteCounter(
            "picollo_http_server_after_response_cpu_seconds",
            "CPU time used after the end of requests by work that they started, by method and route.",
            all.Select(route => (Route: route, Nanoseconds: route.AfterEndNanoseconds)).Where(after => after.Nanoseconds > 0)
                .Select(after => SampleOf(after.Route, after.Nanoseconds / 1e9)));
    }

    private static PrometheusSample SampleOf(RouteRow route, double value, ReadOnlySpan<KeyValuePair<string, string>> more = default) =>
        new(value, [.. LabelsOf(route), .. more]);

    private static KeyValuePair<string, string>[] LabelsOf(RouteRow route) =>
        [new("http_request_method", route.Method), new("http_route", route.Route)];

    private sealed class Families(IBufferWriter<byte> output, PrometheusFormat format)
    {
        public HashSet<string> Names { get; } = [];

        public void WriteCounter(string name, string help, IEnumerable<PrometheusSample> samples)
        {
            Names.UnionWith(PrometheusNames.LinesOfCounter(name));
            PrometheusWriter.WriteCounter(output, format, name, help, samples);
        }

        public void WriteGauge(string name, string help, IEnumerable<PrometheusSample> samples)
        {
            Names.Add(name);
            PrometheusWriter.WriteGauge(output, format, name, help, samples);
        }
    }
}
