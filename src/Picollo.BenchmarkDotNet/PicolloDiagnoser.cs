using BenchmarkDotNet.Analysers;
using BenchmarkDotNet.Diagnosers;
using BenchmarkDotNet.Engines;
using BenchmarkDotNet.Exporters;
using BenchmarkDotNet.Loggers;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;
using BenchmarkDotNet.Validators;
using Picollo.BenchmarkDotNet.BenchmarkProcess;
using Picollo.BenchmarkDotNet.Measures;
using Picollo.BenchmarkDotNet.Reports;
using Picollo.PerfEvent;

namespace Picollo.BenchmarkDotNet;

/// <summary>The host side of all measures: sends the request to the engine in the benchmark process, and adds its results to the table. One
/// diagnoser serves all attributes of a class (<see cref="MeasureColumns"/>).</summary>
internal sealed class PicolloDiagnoser : IDiagnoser
{
    // The running benchmark and its file. The path is null if the file could not be created.
    private (BenchmarkCase Benchmark, string? Path)? _running;

    // Results of completed benchmarks whose columns were not requested yet. Null if the engine wrote no result.
    private readonly Dictionary<BenchmarkCase, MeasureResult?> _measured = [];
    private readonly Dictionary<string, bool> _hasColumn = []; // by metric, for all benchmarks
    private readonly SortedSet<string> _unavailable = new(StringComparer.Ordinal);

    public IEnumerable<string> Ids { get; } = ["Picollo"];

    public IEnumerable<IExporter> Exporters { get; } = [new HistogramExporter()];

    public IEnumerable<IAnalyser> Analysers => [];

    /// <summary>Returns the run mode and starts the measurement. BenchmarkDotNet calls this method just before the first launch of a
    /// benchmark, and sends signals to diagnosers only in the last launch.</summary>
    public RunMode GetRunMode(BenchmarkCase benchmarkCase)
    {
        MeasureRequest request = RequestOf(benchmarkCase);
        if (request.IsEmpty)
        {
            return RunMode.None;
        }

        // Extra runs, and launches that AnalyzeLaunchVariance adds, are not measured.
        if (_running?.Benchmark != benchmarkCase && MeasuredBenchmarks.GetResult(benchmarkCase) is null)
        {
            Begin(benchmarkCase, request);
        }

        return RunMode.NoOverhead;
    }

    /// <summary>Reads the results when the last engine has ended, with any toolchain.</summary>
    public void Handle(HostSignal signal, DiagnoserActionParameters parameters)
    {
        if (SupportedVersions.IsEnd(signal) && _running is { } running && running.Benchmark == parameters.BenchmarkCase)
        {
            if (running.Path is { } path)
            {
                Read(running.Benchmark, path);
            }

            End();
        }
    }

    /// <summary>Returns the metrics of a successful benchmark in the first call only, because a table must not contain a column
    /// twice.</summary>
    public IEnumerable<Metric> ProcessResults(DiagnoserResults results)
    {
        BenchmarkCase benchmark = results.BenchmarkCase;
        if (!_measured.Remove(benchmark, out MeasureResult? measured))
        {
            return [];
        }

        if (measured is null)
        {
            _unavailable.Add(
                $"Not measured: {benchmark.DisplayInfo}: Picollo's engine wrote no results. The job uses another engine (EngineFactory), "
                + "or the results could not be written.");
            return [];
        }

        Metric[] metrics = [.. MeasureMetrics.Create(RequestOf(benchmark), measured)];
        foreach (Metric metric in metrics)
        {
            bool hasColumn = metric.Descriptor is MeasureMetric { HasOwnColumn: true } || metric.Descriptor.GetIsAvailable(metric);
            _hasColumn[metric.Descriptor.Id] = hasColumn || _hasColumn.GetValueOrDefault(metric.Descriptor.Id);
        }

        return metrics;
    }

    /// <summary>Reports what the engine could not measure, unless the validation before the run already reported it. If there is nothing to
    /// report, prints a line because BenchmarkDotNet always prints a heading.</summary>
    public void DisplayResults(ILogger logger)
    {
        End(); // for a benchmark with a failed launch before the last one
        string[] zeros = [.. _hasColumn.Where(metric => !metric.Value).Select(metric => metric.Key).Order(StringComparer.Ordinal)];
        if (zeros.Length > 0)
        {
            logger.WriteLineInfo($"No column, because the value is 0 for all benchmarks: {string.Join(", ", zeros)}");
        }
        else if (_unavailable.Count == 0)
        {
            logger.WriteLineInfo("All available values were measured.");
        }

        foreach (string reason in _unavailable)
        {
            logger.WriteLineError(reason);
        }

        _hasColumn.Clear();
        _unavailable.Clear(); // a configuration may be used for several runs
    }

    public IEnumerable<ValidationError> Validate(ValidationParameters validationParameters)
    {
        uint? pmuCounters = PerfEventCounterSession.TryGetNumberOfCounters(out uint fixedCounters, out uint programmable)
            ? fixedCounters + programmable
            : null;
        string[] problems = [.. validationParameters.Benchmarks
            .Select(benchmark => benchmark.Config)
            .Distinct()
            .SelectMany(config => Problems(MeasureColumns.GetSets(config), Unavailable, pmuCounters))
            .Distinct()];
        _unavailable.ExceptWith(problems);
        return problems.Select(reason => new ValidationError(isCritical: false, reason));
    }

    /// <summary>Returns problems with the requested measures and measures that the machine does not support. The run continues without
    /// these measures. The number of PMU counters is null if it is unknown.</summary>
    public static IEnumerable<string> Problems(
        IReadOnlyList<MeasureSet> sets, Func<MeasureRequest, IReadOnlyList<string>> unavailable, uint? pmuCounters)
    {
        if (sets.Any(set => set.RequiresCounter && !set.Measures.Any(measure => measure?.Counter is not null)))
        {
            yield return "A [PerfCounters] attribute or a call to AddPicollo specifies no counter; "
                + "specify one, such as [PerfCounters(PerfHardwareCounterId.Instructions)].";
        }

        foreach (double rank in sets.SelectMany(set => set.Measures).SelectMany(measure => measure?.Ranks ?? []).Distinct())
        {
            if (rank is not (> 0 and < 100))
            {
                yield return string.Create(
                    CultureInfo.InvariantCulture, $"The percentile {rank} is excluded: percentiles must be above 0 and below 100.");
            }
        }

        _ = BenchmarkCounter.Choose([.. sets.SelectMany(set => set.Measures)], out IReadOnlyList<string> problems);
        MeasureRequest request = MeasureRequest.FromSets(sets, isAwaited: false);
        foreach (string reason in problems.Concat(unavailable(request)))
        {
            yield return reason;
        }

        int hardware = request.Counters.Count(counter => counter.NeedsPmu);
        if (hardware > pmuCounters)
        {
            yield return $"{hardware} hardware counters are requested, but the CPU has {pmuCounters}: "
                + "they are multiplexed, and their counts are scaled.";
        }
    }

    private static IReadOnlyList<string> Unavailable(MeasureRequest request)
    {
        using var tried = PerfEventBenchmarkCounters.Open(request);
        return tried.Unavailable;
    }

    private static MeasureRequest RequestOf(BenchmarkCase benchmark) => MeasureRequest.FromSets(
        MeasureColumns.GetSets(benchmark.Config), IsAwaited(benchmark.Descriptor.WorkloadMethod.ReturnType));

    // The types that BenchmarkDotNet 0.14 awaits.
    private static bool IsAwaited(Type type) => type == typeof(Task) || type == typeof(ValueTask)
        || (type.IsGenericType
            && (type.GetGenericTypeDefinition() == typeof(Task<>) || type.GetGenericTypeDefinition() == typeof(ValueTask<>)));

    private void Begin(BenchmarkCase benchmark, MeasureRequest request)
    {
        End();
        if (!ExchangeFile.TryCreate(request, out string? path, out string? reason))
        {
            _unavailable.Add($"Not measured: {reason}");
        }

        _running = (benchmark, path);
        Environment.SetEnvironmentVariable(ExchangeFile.Variable, path);
    }

    private void Read(BenchmarkCase benchmark, string path)
    {
        IReadOnlyList<MeasureResult> launches = ExchangeFile.ReadResults(path);
        MeasureResult? result = launches.Count > 0 ? MeasureResult.FromLaunches(launches) : null;
        _measured[benchmark] = result;
        if (result is not null)
        {
            MeasuredBenchmarks.SetResult(benchmark, result);
            _unavailable.UnionWith(result.Unavailable);
        }
    }

    private void End()
    {
        if (_running is { } running)
        {
            Environment.SetEnvironmentVariable(ExchangeFile.Variable, null);
            _running = null;
            if (running.Path is not null)
            {
                ExchangeFile.Delete(running.Path);
            }
        }
    }
}
