using BenchmarkDotNet.Configs;

namespace Picollo.BenchmarkDotNet;

/// <summary>Shows how the times of single calls of a benchmark are distributed, which the means of iterations hide: their number
/// (<c>Calls</c>), <c>Call mean</c>, percentiles such as <c>Call p99</c>, and <c>Call max</c>; and writes all of it as a log of HDR
/// histograms (<c>.hlog</c>) and as percentile plots (<c>.svg</c>, <c>.html</c>) of all benchmarks of the class.</summary>
/// <param name="ranks">Which percentiles, in percent: above 0 and below 100. None are 50, 90, 99 and 99.9.</param>
/// <remarks>
/// <para>After the actual iterations, whose times stay as they are, the workload is called once at a time, each call timed by
/// <see cref="System.Diagnostics.Stopwatch"/> less the median of an empty call: for as long as the actual iterations took, 1,000,000
/// invocations at most. Where an iteration is one invocation (long benchmarks, <c>[IterationSetup]</c>, cold starts) the iterations, less
/// the median of iterations without the workload, are the distribution, and nothing more is run.</para>
/// <para>A percentile is shown if at least one invocation lies above it: p99.9 of 1,000 invocations or more. The columns are per operation,
/// as the mean is; the log and the plots have the invocations in nanoseconds. The clock's step and cost (some tens of nanoseconds) are not
/// gone: of operations far below a microsecond this shows the interruptions, not the operation. Where summaries are joined, BenchmarkDotNet
/// asks the first class for files: they are written if that one has the attribute.</para>
/// </remarks>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Assembly, AllowMultiple = true)]
public sealed class HdrPercentilesAttribute(params double[] ranks) : Attribute, IConfigSource
{
    /// <summary>What the attribute adds to the configuration of its class: a diagnoser, and the engine that measures for it.</summary>
    public IConfig Config => ManualConfig.CreateEmpty().AddMeasures(new([PicolloMeasure.HdrPercentilesAt(ranks)]));
}
