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

    // Of those that run: null where none could be made, or was needed.
    private readonly Dictionary<BenchmarkCase, string?> _files = [];

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

    public RunMode GetRunMode(BenchmarkCase benchmarkCase) => RequestOf(benchmarkCase).IsEmpty ? RunMode.None : RunMode.NoOverhead;

    /// <summary>Makes the file of a run, names it to the engine, and reads it when the engine has ended, by whichever toolchain.</summary>
    public void Handle(HostSignal signal, DiagnoserActionParameters parameters)
    {
        BenchmarkCase benchmark = parameters.BenchmarkCase;
        switch (RunSignals.Of(signal))
        {
            case RunSignal.BeforeProcess:
                parameters.Process!.StartInfo.Environment[ExchangeFile.Variable] = Begin(benchmark);
                break;

            // In-process toolchains send no BeforeProcessStart.
            case RunSignal.Begin when !_files.ContainsKey(benchmark):
                Environment.SetEnvironmentVariable(ExchangeFile.Variable, Begin(benchmark));
                break;

            case RunSignal.End when _files.Remove(benchmark, out string? path):
                Environment.SetEnvironmentVariable(ExchangeFile.Variable, null);
                if (path is not null)
                {
                    End(benchmark, path);
                }

                break;
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

    private string? Begin(BenchmarkCase benchmark)
    {
        // AnalyzeLaunchVariance: BenchmarkDotNet takes the second launch for the last, and the last for it too.
        if (ResultOf(benchmark) is not null)
        {
            return _files[benchmark] = null;
        }

        if (!ExchangeFile.TryCreate(RequestOf(benchmark), out string? path, out string? reason))
        {
            _unavailable.Add($"Not measured: {reason}");
        }

        return _files[benchmark] = path;
    }

    private void End(BenchmarkCase benchmark, string path)
    {
        MeasureResult? result = ExchangeFile.ReadResult(path);
        ExchangeFile.Delete(path);
        _measured[benchmark] = result;
        if (result is not null)
        {
            Results.AddOrUpdate(benchmark, result);
            _unavailable.UnionWith(result.Unavailable);
        }
    }
}
