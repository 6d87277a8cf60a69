using BenchmarkDotNet.Configs;

namespace Picollo.BenchmarkDotNet;

/// <summary>Adds columns for the distribution of single calls, which the means of iterations hide: the number of calls (<c>Calls</c>),
/// <c>Call mean</c>, percentiles such as <c>Call p99</c>, and <c>Call max</c>. Also writes an HDR histogram log (<c>.hlog</c>) and
/// percentile plots (<c>.svg</c>, <c>.html</c>) of all benchmarks of the class.</summary>
/// <param name="ranks">The percentiles, in percent, above 0 and below 100. If empty, the percentiles are 50, 90, 99 and 99.9.</param>
/// <remarks>
/// <para>The times of the actual iterations do not change. After these iterations, the workload is called one call at a time, and each call
/// is timed by <see cref="System.Diagnostics.Stopwatch"/>, minus the median time of an empty call. This takes as long as the actual
/// iterations took, with at most 1,000,000 calls. If an iteration is a single call (long benchmarks, <c>[IterationSetup]</c>, cold starts),
/// no additional calls are made: the distribution contains the iterations, minus the median of the overhead iterations.</para>
/// <para>A percentile is shown if at least one call is above it: p99.9 requires 1,000 calls or more. The columns are per operation, like
/// the mean; the log and the plots contain calls, in nanoseconds. The resolution and the overhead of the clock (tens of nanoseconds) remain
/// in the results: for operations far below a microsecond, the distribution shows interruptions rather than the operation. For joined
/// summaries, BenchmarkDotNet requests files only for the first class, so files are written only if this class has the attribute.</para>
/// </remarks>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Assembly, AllowMultiple = true)]
public sealed class HdrPercentilesAttribute(params double[] ranks) : Attribute, IConfigSource
{
    /// <summary>The configuration that the attribute adds to its class: a diagnoser and a measuring engine.</summary>
    public IConfig Config => ManualConfig.CreateEmpty().AddMeasures(new([PicolloMeasure.CreateHdrPercentiles(ranks)]));
}
