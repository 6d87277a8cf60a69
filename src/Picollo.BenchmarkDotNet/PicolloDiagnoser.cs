using System.Globalization;
using System.Runtime.CompilerServices;
using BenchmarkDotNet.Analysers;
using BenchmarkDotNet.Diagnosers;
using BenchmarkDotNet.Engines;
using BenchmarkDotNet.Exporters;
using BenchmarkDotNet.Loggers;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;
using BenchmarkDotNet.Validators;
using Picollo.BenchmarkDotNet.Exchange;
using Picollo.BenchmarkDotNet.Measuring;
using Picollo.BenchmarkDotNet.Reports;
using Picollo.PerfEvent;

namespace Picollo.BenchmarkDotNet;

/// <summary>The host's side of all measures: tells the engine in the benchmark's process what to measure, and takes what it measured into
/// the results table. One for all attributes of a class (<see cref="MeasureSet"/>).</summary>
internal sealed class PicolloDiagnoser : IDiagnoser
{
    // For as long as the benchmarks live: exporters get a summary of benchmarks and know no diagnoser.
    private static readonly ConditionalWeakTable<BenchmarkCase, MeasureResult> Results = [];

    // The benchmark that runs, and its file: null if none could be made.
    private (BenchmarkCase Benchmark, string? Path)? _running;

    // Of those that have run and whose columns were not asked for yet: null where the engine left nothing.
    private readonly Dictionary<BenchmarkCase, MeasureResult?> _measured = [];
    private readonly Dictionary<string, bool> _hasColumn = []; // by metric, of all benchmarks
    private readonly SortedSet<string> _unavailable = new(StringComparer.Ordinal);

    public IEnumerable<string> Ids { get; } = ["Picollo"];

    public IEnumerable<IExporter> Exporters { get; } = [new HistogramExporter()];

    public IEnumerable<IAnalyser> Analysers => [];

    /// <summary>The result of a benchmark; null where nothing was measured.</summary>
    public static MeasureResult? ResultOf(BenchmarkCase benchmark) =>
        Results.TryGetValue(benchmark, out MeasureResult? result) ? result : null;

    /// <summary>Begins the measurement, too: BenchmarkDotNet asks just before the first launch of a benchmark, and tells its signals to
    /// diagnosers in the last launch only.</summary>
    public RunMode GetRunMode(BenchmarkCase benchmarkCase)
    {
        MeasureRequest request = RequestOf(benchmarkCase);
        if (request.IsEmpty)
        {
            return RunMode.None;
        }

        // It asks again before extra runs, and AnalyzeLaunchVariance may add launches: those are not measured.
        if (_running?.Benchmark != benchmarkCase && ResultOf(benchmarkCase) is null)
        {
            Begin(benchmarkCase, request);
        }

        return RunMode.NoOverhead;
    }

    /// <summary>Reads what the engines have measured when the last one has ended, by whichever toolchain.</summary>
    public void Handle(HostSignal signal, DiagnoserActionParameters parameters)
    {
        if (RunSignals.IsEnd(signal) && _running is { } running && running.Benchmark == parameters.BenchmarkCase)
        {
            if (running.Path is { } path)
            {
                Read(running.Benchmark, path);
            }

            End();
        }
    }

    /// <summary>The columns of a benchmark that succeeded, once: a table has no column twice.</summary>
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
                $"Not measured: {benchmark.DisplayInfo}: Picollo's engine left no results; the job has another (EngineFactory), "
                + "or they could not be written.");
            return [];
        }

        Metric[] metrics = [.. MeasureMetrics.Of(RequestOf(benchmark), measured)];
        foreach (Metric metric in metrics)
        {
            bool hasColumn = metric.Descriptor is MeasureMetric { HasOwnColumn: true } || metric.Descriptor.GetIsAvailable(metric);
            _hasColumn[metric.Descriptor.Id] = hasColumn || _hasColumn.GetValueOrDefault(metric.Descriptor.Id);
        }

        return metrics;
    }

    /// <summary>What the engine found it could not measure, and the validation before the run did not say already; or that there is nothing
    /// to say, below the heading that BenchmarkDotNet prints in any case.</summary>
    public void DisplayResults(ILogger logger)
    {
        End(); // of a benchmark of which a launch before the last has failed
        string[] zeros = [.. _hasColumn.Where(one => !one.Value).Select(one => one.Key).Order(StringComparer.Ordinal)];
        if (zeros.Length > 0)
        {
            logger.WriteLineInfo($"0 for all benchmarks, and no column: {string.Join(", ", zeros)}");
        }
        else if (_unavailable.Count == 0)
        {
            logger.WriteLineInfo("All that was asked for and is available here was measured.");
        }

        foreach (string reason in _unavailable)
        {
            logger.WriteLineError(reason);
        }

        _hasColumn.Clear();
        _unavailable.Clear(); // a configuration may be of several runs
    }

    public IEnumerable<ValidationError> Validate(ValidationParameters validationParameters)
    {
        uint? pmuCounters = PerfEventCounterSession.TryGetNumberOfCounters(out uint fixedCounters, out uint programmable)
            ? fixedCounters + programmable
            : null;
        string[] problems = [.. validationParameters.Benchmarks
            .Select(benchmark => benchmark.Config)
            .Distinct()
            .SelectMany(config => Problems(MeasureSet.Of(config), Unavailable, pmuCounters))
            .Distinct()];
        _unavailable.ExceptWith(problems);
        return problems.Select(reason => new ValidationError(isCritical: false, reason));
    }

    /// <summary>What is wrong with the measures asked for, or with a machine for them; the run goes on without.</summary>
    /// <param name="sets">What is asked for.</param>
    /// <param name="unavailable">Tries it on a machine, and says what that does not have.</param>
    /// <param name="pmuCounters">How many counters the machine's PMU has; null if that is not known.</param>
    public static IEnumerable<string> Problems(
        IReadOnlyList<MeasureSet> sets, Func<MeasureRequest, IReadOnlyList<string>> unavailable, uint? pmuCounters)
    {
        if (sets.Any(set => set.IsOfCounters && !set.Measures.Any(measure => measure?.Counter is not null)))
        {
            yield return "[PerfCounters] and AddPicollo count what they name, and one names nothing; "
                + "such as [PerfCounters(PerfHardwareCounterId.Instructions)].";
        }

        foreach (double rank in sets.SelectMany(set => set.Measures).SelectMany(measure => measure?.Ranks ?? []).Distinct())
        {
            if (rank is not (> 0 and < 100))
            {
                yield return string.Create(
                    CultureInfo.InvariantCulture, $"The percentile {rank} is left out: percentiles are above 0 and below 100.");
            }
        }

        _ = BenchmarkCounter.Choose([.. sets.SelectMany(set => set.Measures)], out IReadOnlyList<string> problems);
        MeasureRequest request = MeasureRequest.Of(sets, isAwaited: false);
        foreach (string reason in problems.Concat(unavailable(request)))
        {
            yield return reason;
        }

        int hardware = request.Counters.Count(counter => counter.NeedsPmu);
        if (hardware > pmuCounters)
        {
            yield return $"{hardware} hardware counters are asked for and the CPU has {pmuCounters}: "
                + "they take turns, and their counts are scaled.";
        }
    }

    private static IReadOnlyList<string> Unavailable(MeasureRequest request)
    {
        using var tried = PerfEventBenchmarkCounters.Open(request);
        return tried.Unavailable;
    }

    private static MeasureRequest RequestOf(BenchmarkCase benchmark) => MeasureRequest.Of(
        MeasureSet.Of(benchmark.Config), IsAwaited(benchmark.Descriptor.WorkloadMethod.ReturnType));

    // What BenchmarkDotNet 0.14 awaits.
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
        MeasureResult? result = launches.Count > 0 ? MeasureResult.Of(launches) : null;
        _measured[benchmark] = result;
        if (result is not null)
        {
            Results.AddOrUpdate(benchmark, result);
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
