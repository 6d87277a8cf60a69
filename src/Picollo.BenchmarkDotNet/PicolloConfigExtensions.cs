using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Jobs;
using Picollo.BenchmarkDotNet.Measures;
using Picollo.BenchmarkDotNet.Reports;

namespace Picollo.BenchmarkDotNet;

/// <summary>Extension methods that add Picollo's measures to a configuration, as an alternative to attributes on a class.</summary>
/// <remarks>These methods and the attributes replace the engine factory of a job. The clock of the job is kept.</remarks>
public static class PicolloConfigExtensions
{
    /// <summary>Adds measures to a configuration. Measures from earlier calls and from the attributes of a class are kept.</summary>
    /// <param name="config">The configuration to change.</param>
    /// <param name="measures">Counters, <see cref="PicolloMeasure.CpuUsage"/> and <see cref="PicolloMeasure.HdrPercentiles"/>, in any
    /// order.</param>
    /// <returns>The configuration that was passed.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="config"/> is <see langword="null"/>.</exception>
    /// <example>
    /// <code>
    /// var config = DefaultConfig.Instance.AddPicollo(
    ///     PerfHardwareCounterId.Instructions, PerfSoftwareCounterId.PageFaults, PicolloMeasure.CpuUsage, PicolloMeasure.HdrPercentiles);
    /// BenchmarkRunner.Run&lt;Sorting&gt;(config);
    /// </code>
    /// </example>
    public static ManualConfig AddPicollo(this ManualConfig config, params PicolloMeasure[]? measures)
    {
        ArgumentNullException.ThrowIfNull(config);
        return config.AddMeasures(new MeasureSet(measures ?? [], RequiresCounter: measures is not [_, ..]));
    }

    /// <summary>Adds measures to a copy of a configuration, such as <see cref="DefaultConfig.Instance"/>.</summary>
    /// <param name="config">The configuration to copy. It is not changed.</param>
    /// <param name="measures">Counters, <see cref="PicolloMeasure.CpuUsage"/> and <see cref="PicolloMeasure.HdrPercentiles"/>, in any
    /// order.</param>
    /// <returns>A copy of the configuration with the measures.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="config"/> is <see langword="null"/>.</exception>
    public static ManualConfig AddPicollo(this IConfig config, params PicolloMeasure[]? measures)
    {
        ArgumentNullException.ThrowIfNull(config);
        return ManualConfig.Create(config).AddPicollo(measures);
    }

    /// <summary>Sets options for all counters of a configuration, including counters from the attributes of a class. The last call that
    /// specifies an option applies, instead of the attributes.</summary>
    /// <param name="config">The configuration to change.</param>
    /// <param name="includeKernel">The value of <see cref="PerfCountersAttribute.IncludeKernel"/> for all counters;
    /// <see langword="null"/> to change nothing.</param>
    /// <param name="countAllThreads">The value of <see cref="PerfCountersAttribute.CountAllThreads"/> for all counters;
    /// <see langword="null"/> to change nothing. A benchmark that returns an awaitable is always counted on all threads.</param>
    /// <returns>The configuration that was passed.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="config"/> is <see langword="null"/>.</exception>
    public static ManualConfig WithPicolloCounters(
        this ManualConfig config, bool? includeKernel = null, bool? countAllThreads = null)
    {
        ArgumentNullException.ThrowIfNull(config);
        return config.AddMeasures(new MeasureSet([], includeKernel, countAllThreads));
    }

    internal static ManualConfig AddMeasures(this ManualConfig config, MeasureSet measures)
    {
        // Check the version before loading a type whose interface differs in an unsupported version.
        SupportedVersions.Check(typeof(IConfig).Assembly.GetName().Version!);
        return AddDiagnoserAndEngine(config, measures);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ManualConfig AddDiagnoserAndEngine(ManualConfig config, MeasureSet measures) => config
        .AddColumnProvider(new MeasureColumns(measures))
        .AddDiagnoser(new PicolloDiagnoser())
        .AddJob(new Job("Picollo").WithEngineFactory(new PicolloEngineFactory()).AsMutator());
}
