using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Jobs;
using Perfolizer.Horology;

namespace Picollo.Samples.Benchmarks;

/// <summary>What runs all of the sample in a minute or two: five iterations of a fifth of a second, and as long again for single invocations. What
/// is measured of a class, its attributes say.</summary>
internal static class ShortConfig
{
    private static readonly TimeInterval IterationTime = TimeInterval.FromMilliseconds(200);

    public static IConfig Create() => DefaultConfig.Instance.AddJob(
        Job.Default.WithLaunchCount(1).WithWarmupCount(3).WithIterationCount(5).WithIterationTime(IterationTime).WithId("Short"));
}
