using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Jobs;
using Perfolizer.Horology;

namespace Picollo.Samples.Benchmarks;

/// <summary>A configuration that runs all benchmarks of the sample in one to two minutes: five iterations of a fifth of a second, and the same time
/// for single invocations. The attributes of each class select the measurements.</summary>
internal static class ShortConfig
{
    private static readonly TimeInterval IterationTime = TimeInterval.FromMilliseconds(200);

    public static IConfig Create() => DefaultConfig.Instance.AddJob(
        Job.Default.WithLaunchCount(1).WithWarmupCount(3).WithIterationCount(5).WithIterationTime(IterationTime).WithId("Short"));
}
