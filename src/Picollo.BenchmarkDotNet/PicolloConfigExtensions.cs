using System.Runtime.CompilerServices;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Jobs;

namespace Picollo.BenchmarkDotNet;

/// <summary>Picollo's measures in a configuration, where no attribute can or should stand on the class.</summary>
/// <remarks>A job's own engine factory gives way to Picollo's, here and for the attributes; its clock is kept.</remarks>
public static class PicolloConfigExtensions
{
    /// <summary>Adds measures to a configuration; to those that it, or a class's attributes, have already.</summary>
    /// <param name="config">The configuration, which is changed.</param>
    /// <param name="measures">Counters, <see cref="PicolloMeasure.CpuUsage"/>, <see cref="PicolloMeasure.HdrPercentiles"/>, in any
    /// order.</param>
    /// <returns>The same configuration.</returns>
    /// <exception cref="ArgumentNullException">The configuration is null.</exception>
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
        return config.AddMeasures(new MeasureSet(measures ?? [], IsOfCounters: measures is not [_, ..]));
    }

    /// <summary>Adds measures to a copy of a configuration, such as <see cref="DefaultConfig.Instance"/>.</summary>
    /// <param name="config">The configuration, which stays as it is.</param>
    /// <param name="measures">As for the other overload.</param>
    /// <returns>A copy with the measures.</returns>
    /// <exception cref="ArgumentNullException">The configuration is null.</exception>
    public static ManualConfig AddPicollo(this IConfig config, params PicolloMeasure[]? measures)
    {
        ArgumentNullException.ThrowIfNull(config);
        return ManualConfig.Create(config).AddPicollo(measures);
    }

    /// <summary>Sets how the counters of a configuration count: all of them, also those that a class's attributes name.</summary>
    /// <param name="config">The configuration, which is changed.</param>
    /// <param name="includeKernel">True sets <see cref="PerfCountersAttribute.IncludeKernel"/> for all counters; false changes
    /// nothing.</param>
    /// <param name="allThreads">True sets <see cref="PerfCountersAttribute.AllThreads"/> for all counters; false changes nothing.</param>
    /// <returns>The same configuration.</returns>
    /// <exception cref="ArgumentNullException">The configuration is null.</exception>
    public static ManualConfig WithCounterOptions(this ManualConfig config, bool includeKernel = false, bool allThreads = false)
    {
        ArgumentNullException.ThrowIfNull(config);
        return config.AddMeasures(new MeasureSet([], includeKernel, allThreads));
    }

    internal static ManualConfig AddMeasures(this ManualConfig config, MeasureSet measures)
    {
        // Before a type is loaded that an unsupported version has another interface for.
        SupportedVersions.Check(typeof(IConfig).Assembly.GetName().Version!);
        return AddDiagnoserAndEngine(config, measures);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ManualConfig AddDiagnoserAndEngine(ManualConfig config, MeasureSet measures) => config
        .AddColumnProvider(measures)
        .AddDiagnoser(new PicolloDiagnoser())
        .AddJob(new Job("Picollo").WithEngineFactory(new PicolloEngineFactory()).AsMutator());
}
