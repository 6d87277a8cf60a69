using System.Buffers;
using Picollo.AspNetCore.Measuring;
using Picollo.AspNetCore.Meters;
using Picollo.AspNetCore.Workers;
using Picollo.Cpu;
using Picollo.Diagnostics;
using Picollo.Export;
using Picollo.Scheduling;

namespace Picollo.AspNetCore.Reading;

/// <summary>Reads the metrics of the exposition that are not histograms, for Prometheus and OpenTelemetry. Names that the semantic
/// conventions define have their units and attributes.</summary>
internal sealed class ExpositionCounters(
    PageRows rows,
    WorkMeter work,
    RunList running,
    ProcessAccount account,
    RuntimeService runtime,
    MeterBridge meters,
    CpuWorkers workers)
{
    private const string Seconds = "seconds", Bytes = "bytes";
    private const string Requests = "{request}", Tasks = "{task}", Measurements = "{measurement}";

    // The only name that Prometheus does not derive from OpenTelemetry's. All client libraries have this name.
    private const string ProcessCpuTime = "process.cpu.time", PrometheusProcessCpuTime = "process_cpu_seconds";

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

    public IReadOnlyList<OtlpFamily> Read()
    {
        List<OtlpFamily> families = [];

        // Read also adds the CPU time of runs that have not ended to their rows.
        ILookup<Row, RunReading> inFlight = running.Read().ToLookup(run => run.Row);
        AddRoutes(families, inFlight);
        AddTimesInStates(families);
        AddWork(families);
        AddWorkers(families);
        AddRuntime(families);
        AddMeters(families);
        AddProcess(families);
        return families;
    }

    /// <summary>Writes the metrics in a Prometheus format.</summary>
    /// <returns>The names that histograms of the same exposition must not have.</returns>
    public IReadOnlySet<string> Write(IBufferWriter<byte> output, PrometheusFormat format)
    {
        HashSet<string> names = [];
        foreach ((OtlpMetric metric, IReadOnlyList<PrometheusSample> samples) in Read())
        {
            string name = PrometheusNames.NameOf(metric.Name, metric.Unit);
            if (metric.Name == ProcessCpuTime)
            {
                names.UnionWith(PrometheusNames.LinesOfCounter(PrometheusProcessCpuTime));
                PrometheusSample total = new(samples.Sum(sample => sample.Value));
                PrometheusWriter.WriteCounter(
                    output, format, PrometheusProcessCpuTime, metric.Description, [total], ProcessAccount.Started);
            }
            else if (metric.Kind == OtlpKind.Counter)
            {
                names.UnionWith(PrometheusNames.LinesOfCounter(name));
                PrometheusWriter.WriteCounter(output, format, name, metric.Description, samples, ProcessAccount.Started);
            }
            else
            {
                names.Add(name);
                PrometheusWriter.WriteGauge(output, format, name, metric.Description, samples);
            }
        }

        return names;
    }

    private void AddRoutes(List<OtlpFamily> families, ILookup<Row, RunReading> inFlight)
    {
        IReadOnlyList<RouteRow> all = rows.Routes.All;
        if (all.Count == 0)
        {
            return;
        }

        families.Add(new(
            new(
                "picollo.http.server.max_routes",
                "Maximum number of routes that are counted separately. Requests to further routes have the route (other).",
                "{route}",
                OtlpKind.Gauge),
            [new(rows.Routes.Capacity)]));
        families.Add(new(
            new(
                "http.server.active_requests",
                "Requests that have not ended, by method and route.",
                Requests,
                OtlpKind.UpDownCounter),
            [.. all.Select(route => SampleOf(route, inFlight[route].Count()))]));

        // Only classes that occurred, because a series that is always 0 costs as much as any other.
        families.Add(Counter(
            "picollo.http.server.responses",
            "Requests by method, route and response class. A gRPC call has the class of its status, and a response that fails after its "
            + "start has the class 5xx. Requests aborted by the client have the class aborted.",
            Requests,
            [.. all.SelectMany(route => Classes.Where(response => route[response.Class] > 0).Select(
                response => SampleOf(route, route[response.Class], KeyValuePair.Create("response", response.Name))))]));
        families.Add(Counter(
            "picollo.http.server.rejected_requests",
            "Requests rejected by a rate limit or by the queue of the CPU workers. The percentiles exclude them.",
            Requests,
            [.. all.Where(route => route.Rejected > 0).Select(route => SampleOf(route, route.Rejected))]));
        families.Add(Counter(
            "picollo.http.server.cpu",
            "CPU time of requests, by method and route, including requests that have not ended.",
            Seconds,
            [.. all.Select(route => SampleOf(route, route.TotalCpuNanoseconds / 1e9))]));
        families.Add(Counter(
            "picollo.http.server.after_response.cpu",
            "CPU time used after the end of requests by work that they started, by method and route.",
            Seconds,
            [.. all.Select(route => (Route: route, Nanoseconds: route.AfterEndNanoseconds)).Where(after => after.Nanoseconds > 0)
                .Select(after => SampleOf(after.Route, after.Nanoseconds / 1e9))]));
    }

    /// <summary>Adds the time in each state of each route and each name of work, if they are measured.</summary>
    private void AddTimesInStates(List<OtlpFamily> families)
    {
        List<PrometheusSample> routes = [], named = [];
        foreach (PageRow row in rows.All)
        {
            if (row.Measured?.Latency?.Read() is not { Count: > 0 } latency)
            {
                continue;
            }

            List<PrometheusSample> times = row.IsRoute ? routes : named;
            times.AddRange(
                from state in LatencyStateValues.Disjoint
                let nanoseconds = latency.SumOf(state)
                where nanoseconds is not null
                select new PrometheusSample(nanoseconds.Value / 1e9, [.. row.Registrations[0].Labels, new("state", state.Name())]));
        }

        if (routes.Count > 0)
        {
            families.Add(Counter(
                "picollo.http.server.time",
                "Time of requests in each state, by method and route. The sum of all states is the sum of the durations; a request that "
                + "has waited is added 0.2 seconds after its end.",
                Seconds,
                routes));
        }

        if (named.Count > 0)
        {
            families.Add(Counter(
                "picollo.work.time",
                "Time of named work in each state, by name. The sum of all states is the sum of the durations.",
                Seconds,
                named));
        }
    }

    private void AddWork(List<OtlpFamily> families)
    {
        IReadOnlyList<WorkRow> named = work.All;
        if (named.Count == 0)
        {
            return;
        }

        families.Add(Counter(
            "picollo.work.cpu",
            "CPU time of named work, by name, including work that has not ended.",
            Seconds,
            [.. named.Select(row => new PrometheusSample(row.TotalCpuNanoseconds / 1e9, [new("work", row.Name)]))]));

        // Also results that have not occurred, so that the first failure is an increase.
        families.Add(Counter(
            "picollo.work.runs",
            "Ended runs of named work, by name and result.",
            "{run}",
            [.. named.SelectMany(row => Results.Select(
                result => new PrometheusSample(row[result.Result], [new("result", result.Name), new("work", row.Name)])))]));
    }

    private void AddWorkers(List<OtlpFamily> families)
    {
        if (!workers.IsStarted)
        {
            return;
        }

        CpuWorkerStatistics statistics = workers.Pool.Statistics;
        families.Add(Counter(
            "picollo.cpu_workers.tasks",
            "Ended tasks of the CPU workers, by result.",
            Tasks,
            [
                new(statistics.CompletedCount, [new("result", "completed")]),
                new(statistics.FailedCount, [new("result", "failed")]),
                new(statistics.CanceledCount, [new("result", "canceled")]),
            ]));
        Add("picollo.cpu_workers", "Number of CPU workers.", "{worker}", workers.Pool.WorkerCount);
        Add(
            "picollo.cpu_workers.running_tasks",
            "Tasks that are running on a CPU worker.",
            Tasks,
            statistics.GetRunningTasks().Count);
        Add("picollo.cpu_workers.waiting_tasks", "Tasks that are waiting for a CPU worker.", Tasks, statistics.WaitingCount);

        void Add(string name, string description, string unit, double value) =>
            families.Add(new(new(name, description, unit, OtlpKind.UpDownCounter), [new(value)]));
    }

    /// <summary>Adds the runtime's totals under the names of the runtime's own meter, <c>System.Runtime</c>.</summary>
    private void AddRuntime(List<OtlpFamily> families)
    {
        if (runtime.Totals is not { } totals)
        {
            return;
        }

        families.Add(Counter(
            "dotnet.gc.collections",
            "Garbage collections, by the oldest generation collected.",
            "{collection}",
            [
                new(totals.Gen0CollectionCount - totals.Gen1CollectionCount, [new("gc.heap.generation", "gen0")]),
                new(totals.Gen1CollectionCount - totals.Gen2CollectionCount, [new("gc.heap.generation", "gen1")]),
                new(totals.Gen2CollectionCount, [new("gc.heap.generation", "gen2")]),
            ]));
        Add(
            "dotnet.gc.pause.time",
            "Time for which garbage collections paused all threads.",
            Seconds,
            totals.GcPauseTime.TotalSeconds);
        Add("dotnet.gc.heap.total_allocated", "Allocated bytes.", Bytes, totals.AllocatedBytes);
        Add(
            "dotnet.exceptions",
            "Exceptions thrown since the application started, including caught ones.",
            "{exception}",
            totals.ExceptionCount);
        Add(
            "dotnet.jit.compiled_methods",
            "Compiled methods. A method counts once for each tier.",
            "{method}",
            totals.CompiledMethodCount ?? 0);
        Add("dotnet.jit.compilation.time", "Time spent compiling methods.", Seconds, totals.CompilationTime.TotalSeconds);

        void Add(string name, string description, string unit, double value) =>
            families.Add(Counter(name, description, unit, [new(value)]));
    }

    private void AddMeters(List<OtlpFamily> families)
    {
        if (meters.Histograms is not { UnavailableReason: null } recorded)
        {
            return;
        }

        families.Add(Counter(
            "picollo.meters.unrecorded_measurements",
            "Measurements that were not recorded, by reason.",
            Measurements,
            [
                new(recorded.NegativeMeasurementCount, [new("reason", "negative")]),
                new(recorded.NaNMeasurementCount, [new("reason", "not_a_number")]),
            ]));
        families.Add(Counter(
            "picollo.meters.overflow_measurements",
            "Measurements recorded in series with the label otel_metric_overflow, because their instrument has too many series.",
            Measurements,
            [new(recorded.OverflowSeriesMeasurementCount)]));
        families.Add(Counter(
            "picollo.meters.refused_instruments",
            "Instruments that are ignored because there are too many.",
            "{instrument}",
            [new(recorded.RefusedInstrumentCount)]));
    }

    private void AddProcess(List<OtlpFamily> families)
    {
        IReadOnlyList<CpuPart> parts = account.Read(out CpuUsage? modes);
        if (parts.Count == 0)
        {
            return;
        }

        families.Add(Counter(
            ProcessCpuTime,
            "User and kernel CPU time of the process.",
            Seconds,
            modes is { } split
                ?
                [
                    new(split.UserNanoseconds / 1e9, [new("cpu.mode", "user")]),
                    new(split.KernelNanoseconds / 1e9, [new("cpu.mode", "system")]),
                ]
                : [new(parts.Sum(part => part.Nanoseconds) / 1e9)]));
        families.Add(Counter(
            "picollo.process.cpu",
            "CPU time of the process by part. The sum of all parts is the CPU time of the process.",
            Seconds,
            [.. parts.Select(part => new PrometheusSample(part.Nanoseconds / 1e9, [new("part", part.Name)]))]));
    }

    private static OtlpFamily Counter(string name, string description, string unit, IReadOnlyList<PrometheusSample> samples) =>
        new(new(name, description, unit, OtlpKind.Counter), samples);

    private static PrometheusSample SampleOf(
        RouteRow route, double value, params ReadOnlySpan<KeyValuePair<string, string>> more) =>
        new(value, [new("http.request.method", route.Method), new("http.route", route.Route), .. more]);
}
