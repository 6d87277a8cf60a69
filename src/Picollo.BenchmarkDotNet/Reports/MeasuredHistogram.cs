using BenchmarkDotNet.Helpers;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;
using Picollo.BenchmarkDotNet.Exchange;
using Picollo.Export;
using Picollo.Metrics;

namespace Picollo.BenchmarkDotNet.Reports;

/// <summary>The distribution of a benchmark's single invocations.</summary>
/// <param name="Name">As the table tells the benchmarks of a class apart.</param>
/// <param name="Times">Their times.</param>
/// <param name="Histogram">The same, decoded.</param>
internal sealed record MeasuredHistogram(string Name, InvocationTimes Times, HdrHistogram Histogram)
{
    /// <summary>Those of a summary, by class: the name that files begin with, and the benchmarks in the summary's order.</summary>
    public static IEnumerable<IGrouping<string, MeasuredHistogram>> Of(Summary summary) =>
        from benchmark in summary.BenchmarksCases
        let times = MeasureResults.TryGet(benchmark, out MeasureResult? result) ? result.Invocations : null
        where times is not null
        group (benchmark, times) by benchmark.Descriptor.Type into ofClass
        let hasJobs = ofClass.DistinctBy(one => one.benchmark.Job.ResolvedId).Count() > 1
        from one in ofClass
        group Of(one.benchmark, one.times, hasJobs) by FolderNameHelper.ToFolderName(ofClass.Key);

    private static MeasuredHistogram Of(BenchmarkCase benchmark, InvocationTimes times, bool hasJobs)
    {
        string job = hasJobs ? $" {benchmark.Job.ResolvedId}" : "";
        string parameters = benchmark.HasParameters ? $" {benchmark.Parameters.DisplayInfo}" : "";
        return new(
            $"{benchmark.Descriptor.WorkloadMethodDisplayInfo}{job}{parameters}", times, HdrHistogramEncoding.Decode(times.Nanoseconds));
    }
}
