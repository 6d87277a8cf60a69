using Picollo.Export;

namespace Picollo.BenchmarkDotNet.Exchange;

/// <summary>What the engine measured.</summary>
/// <param name="Counters">Those that could be counted.</param>
/// <param name="Unavailable">What was asked for and could not be had, and why; a sentence each.</param>
/// <param name="Cpu">Null if not asked for, or not to be had.</param>
/// <param name="Invocations">Null if not asked for, or none ran.</param>
internal sealed record MeasureResult(
    IReadOnlyList<CountedEvents> Counters, IReadOnlyList<string> Unavailable, CpuPerOperation? Cpu, InvocationTimes? Invocations)
{
    /// <summary>The result of several launches: the means of what operations took, and all single invocations.</summary>
    public static MeasureResult Of(IReadOnlyList<MeasureResult> launches) => launches.Count == 1 ? launches[0] : new(
        [.. launches.SelectMany(launch => launch.Counters).GroupBy(counted => counted.Name).Select(same => new CountedEvents(
            same.Key, same.Average(counted => counted.PerOperation), same.Any(counted => counted.IsScaled)))],
        [.. launches.SelectMany(launch => launch.Unavailable).Distinct()],
        CpuPerOperation.MeanOf([.. launches.Select(launch => launch.Cpu).OfType<CpuPerOperation>()]),
        InvocationTimes.AllOf([.. launches.Select(launch => launch.Invocations).OfType<InvocationTimes>()]));
}

/// <summary>What a counter counted.</summary>
/// <param name="Name">The counter's.</param>
/// <param name="PerOperation">Not negative.</param>
/// <param name="IsScaled">Whether it counted part of the time only, and is an estimate.</param>
internal sealed record CountedEvents(string Name, double PerOperation, bool IsScaled = false);

/// <summary>What an operation took of the CPU.</summary>
/// <param name="UserNanoseconds">In user code.</param>
/// <param name="KernelNanoseconds">In the kernel.</param>
/// <param name="WallNanoseconds">The elapsed time; null if it is too short to be compared with.</param>
/// <param name="VoluntarySwitches">Null where the system does not tell.</param>
/// <param name="InvoluntarySwitches">Null where the system does not tell.</param>
internal sealed record CpuPerOperation(
    double UserNanoseconds, double KernelNanoseconds, double? WallNanoseconds, double? VoluntarySwitches, double? InvoluntarySwitches)
{
    /// <summary>Null of none. A value that one launch does not have is null, because the others would be another mean.</summary>
    public static CpuPerOperation? MeanOf(IReadOnlyList<CpuPerOperation> launches) => launches.Count == 0 ? null : new(
        launches.Average(launch => launch.UserNanoseconds),
        launches.Average(launch => launch.KernelNanoseconds),
        MeanOf(launches, launch => launch.WallNanoseconds),
        MeanOf(launches, launch => launch.VoluntarySwitches),
        MeanOf(launches, launch => launch.InvoluntarySwitches));

    private static double? MeanOf(IReadOnlyList<CpuPerOperation> launches, Func<CpuPerOperation, double?> value) =>
        launches.All(launch => value(launch) is not null) ? launches.Average(value) : null;
}

/// <summary>How long single invocations took.</summary>
/// <param name="Nanoseconds">An encoded histogram.</param>
/// <param name="OperationsPerInvoke">Operations of an invocation.</param>
/// <param name="StartTimeUtc">When the first began.</param>
/// <param name="EndTimeUtc">When the last had ended.</param>
internal sealed record InvocationTimes(byte[] Nanoseconds, long OperationsPerInvoke, DateTime StartTimeUtc, DateTime EndTimeUtc)
{
    /// <summary>Null of none.</summary>
    public static InvocationTimes? AllOf(IReadOnlyList<InvocationTimes> launches)
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
