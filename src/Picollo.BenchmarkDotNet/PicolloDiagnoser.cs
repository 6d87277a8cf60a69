using BenchmarkDotNet.Analysers;
using BenchmarkDotNet.Diagnosers;
using BenchmarkDotNet.Engines;
using BenchmarkDotNet.Exporters;
using BenchmarkDotNet.Loggers;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;
using BenchmarkDotNet.Validators;
using Picollo.BenchmarkDotNet.Exchange;
using Picollo.BenchmarkDotNet.Reports;

namespace Picollo.BenchmarkDotNet;

/// <summary>The host's side of all measures: tells the engine in the benchmark's process what to measure, and takes what it measured into the
/// results table. One for all attributes of a class (<see cref="MeasureCarrier"/>).</summary>
internal sealed class PicolloDiagnoser : IDiagnoser
{
    private readonly MeasureMetrics _metrics = new();
    private readonly Dictionary<BenchmarkCase, string> _files = [];
    private readonly SortedSet<string> _unavailable = new(StringComparer.Ordinal);

    public IEnumerable<string> Ids { get; } = ["Picollo"];

    public IEnumerable<IExporter> Exporters { get; } = [new HistogramExporter()];

    public IEnumerable<IAnalyser> Analysers => [];

    public RunMode GetRunMode(BenchmarkCase benchmarkCase) =>
        RequestOf(benchmarkCase).IsEmpty ? RunMode.None : RunMode.NoOverhead;

    /// <summary>Makes the file of a run, names it to the engine, and reads it when the engine has ended, by whichever toolchain.</summary>
    public void Handle(HostSignal signal, DiagnoserActionParameters parameters)
    {
        BenchmarkCase benchmark = parameters.BenchmarkCase;
        switch (signal)
        {
            case HostSignal.BeforeProcessStart:
                parameters.Process!.StartInfo.Environment[ExchangeFile.Variable] = Begin(benchmark);
                break;

            // In-process toolchains send no BeforeProcessStart.
            case HostSignal.BeforeAnythingElse when !_files.ContainsKey(benchmark):
                Environment.SetEnvironmentVariable(ExchangeFile.Variable, Begin(benchmark));
                break;

            case HostSignal.AfterAll or HostSignal.AfterProcessExit when _files.Remove(benchmark, out string? path):
                Environment.SetEnvironmentVariable(ExchangeFile.Variable, null);
                End(benchmark, path);
                break;
        }
    }

    public IEnumerable<Metric> ProcessResults(DiagnoserResults results) => MeasureResults.TryGet(results.BenchmarkCase, out MeasureResult? measured)
        ? _metrics.Of(RequestOf(results.BenchmarkCase), measured)
        : [];

    /// <summary>What the engine found it could not measure, and the validation before the run did not say already.</summary>
    public void DisplayResults(ILogger logger)
    {
        foreach (string problem in _unavailable)
        {
            logger.WriteLineError(problem);
        }
    }

    public IEnumerable<ValidationError> Validate(ValidationParameters validationParameters)
    {
        IReadOnlyList<string> problems = MeasureValidator.Validate(validationParameters.Benchmarks);
        _unavailable.ExceptWith(problems);
        return problems.Select(problem => new ValidationError(isCritical: false, problem));
    }

    private static MeasureRequest RequestOf(BenchmarkCase benchmark) => MeasureRequest.Of(
        MeasureSet.Of(benchmark.Config), IsAwaited(benchmark.Descriptor.WorkloadMethod.ReturnType));

    // What BenchmarkDotNet 0.14 awaits.
    private static bool IsAwaited(Type type) => type == typeof(Task) || type == typeof(ValueTask)
        || (type.IsGenericType && (type.GetGenericTypeDefinition() == typeof(Task<>) || type.GetGenericTypeDefinition() == typeof(ValueTask<>)));

    private string Begin(BenchmarkCase benchmark) => _files[benchmark] = ExchangeFile.Create(RequestOf(benchmark));

    private void End(BenchmarkCase benchmark, string path)
    {
        if (ExchangeFile.ReadResult(path) is { } result)
        {
            MeasureResults.Set(benchmark, result);
            _unavailable.UnionWith(result.Unavailable);
        }

        File.Delete(path);
    }
}
