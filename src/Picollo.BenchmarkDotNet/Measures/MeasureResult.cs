using Picollo.Export;

namespace Picollo.BenchmarkDotNet.Measures;

/// <summary>The results of the engine, with one sentence for each unavailable measure. The CPU usage is null if it was not requested or is
/// unavailable, and the times of single calls are null if they were not requested or no call ran.</summary>
internal sealed record MeasureResult(
    IReadOnlyList<CountedEvents> Counters, IReadOnlyList<string> Unavailable, CpuPerOperation? Cpu, InvocationTimes? Invocations)
{
    /// <summary>Merges the results of several launches: the means of counters and CPU usage, and all single calls.</summary>
    public static MeasureResult FromLaunches(IReadOnlyList<MeasureResult> launches) => launches.Count == 1 ? launches[0] : new(
        [.. launches.SelectMany(launch => launch.Counters).GroupBy(counted => counted.Name).Select(same => new CountedEvents(
            same.Key, same.Average(counted => counted.PerOperation), same.Any(counted => counted.IsScaled)))],
        [.. launches.SelectMany(launch => launch.Unavailable).Distinct()],
        CpuPerOperation.FromLaunches([.. launches.Select(launch => launch.Cpu).OfType<CpuPerOperation>()]),
        InvocationTimes.FromLaunches([.. launches.Select(launch => launch.Invocations).OfType<InvocationTimes>()]));
}

/// <summary>The value of a counter per operation, 0 or more. It is an estimate if the counter ran only part of the time.</summary>
internal sealed record CountedEvents(string Name, double PerOperation, bool IsScaled = false);

/// <summary>The CPU usage of an operation. The elapsed time is null if it is too short for a comparison. The switches are null if the
/// system does not report them.</summary>
internal sealed record CpuPerOperation(
    double UserNanoseconds, double KernelNanoseconds, double? WallNanoseconds, double? VoluntarySwitches, double? InvoluntarySwitches)
{
    /// <summary>Returns the mean of several launches; null if there are none. A value is null if it is missing in any launch, because the
    /// mean of the others would not be comparable.</summary>
    public static CpuPerOperation? FromLaunches(IReadOnlyList<CpuPerOperation> launches) => launches.Count == 0 ? null : new(
        launches.Average(launch => launch.UserNanoseconds),
        launches.Average(launch => launch.KernelNanoseconds),
        MeanOf(launches, launch => launch.WallNanoseconds),
        MeanOf(launches, launch => launch.VoluntarySwitches),
        MeanOf(launches, launch => launch.InvoluntarySwitches));

    private static double? MeanOf(IReadOnlyList<CpuPerOperation> launches, Func<CpuPerOperation, double?> value) =>
        launches.All(launch => value(launch) is not null) ? launches.Average(value) : null;
}

/// <summary>The times of single calls, as an encoded histogram of nanoseconds.</summary>
internal sealed record InvocationTimes(byte[] Nanoseconds, long OperationsPerInvoke, DateTime StartTimeUtc, DateTime EndTimeUtc)
{
    /// <summary>Merges the times of several launches. Returns null if there are none.</summary>
    public static InvocationTimes? FromLaunches(IReadOnlyList<InvocationTimes> launches)
    {
        if (launches.Count < 2)
        {
            return launches.Count == 0 ? null : launches[0];
        }

        HdrHistogramMerger merger = new();
        foreach (InvocationTimes launch in launches)
        {
            merger.Add(HdrHistogramEncoding.Decode(launch.Nanoseconds));
        }

        return launches[0] with
        {
            Nanoseconds = HdrHistogramEncoding.Encode(merger.ToHistogram()!),
            EndTimeUtc = launches[^1].EndTimeUtc,
        };
    }
}
