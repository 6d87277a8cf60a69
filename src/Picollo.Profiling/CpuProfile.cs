using Picollo.Cpu;
using Picollo.Export;

namespace Picollo.Profiling;

/// <summary>A CPU profile of a process: a call tree with the number of samples of each node.</summary>
/// <remarks>
/// <para>A sample is taken each time a thread has used another <c>1 / Frequency</c> seconds of CPU time. A thread that waits has no
/// samples. The standard error of a share is at most 1.6 percentage points for 1,000 samples and 0.5 points for 10,000 samples (binomial
/// distribution).</para>
/// <para>A profile that <see cref="ReadPprof"/> read may show something else, such as allocated bytes: <see cref="SampleType"/> and
/// <see cref="SampleUnit"/> state what its numbers are.</para>
/// <para>Immutable and thread-safe.</para>
/// </remarks>
public sealed partial class CpuProfile
{
    /// <summary>The type of CPU time, in <see cref="SampleType"/>.</summary>
    internal const string CpuType = "cpu";

    /// <summary>The units in <see cref="SampleUnit"/> that have a meaning here. All others are texts of other tools.</summary>
    internal const string SamplesUnit = "samples";

    /// <inheritdoc cref="SamplesUnit"/>
    internal const string TimeUnit = "nanoseconds";

    /// <summary>The unit of a number that is not a quantity, in pprof files.</summary>
    internal const string CountUnit = "count";

    internal const double NanosecondsPerSecond = 1e9;

    private static readonly TimeSpan MaxTime = TimeSpan.FromDays(10_000_000);

    internal CpuProfile(CpuProfileNode root)
    {
        Root = root;
        UnnamedSampleCount = GetNodes()
            .Where(each => each.Node.Frame.Kind == CpuProfileFrameKind.Unnamed)
            .Sum(each => each.Node.OwnSampleCount);
    }

    /// <summary>The profiled program, such as its name and process ID.</summary>
    public string Title { get; internal init => field = CleanText.Of(value); } = "";

    /// <summary>The start of sampling, in UTC.</summary>
    public DateTime StartTimeUtc { get; internal init; }

    /// <summary>The duration of sampling.</summary>
    public TimeSpan Duration { get; internal init; }

    /// <summary>What the profile shows: <c>cpu</c> is CPU time. A profile of another tool has the name of its sample type, such as
    /// <c>wall</c> or <c>inuse_space</c>.</summary>
    public string SampleType { get; internal init => field = CleanText.Of(value); } = CpuType;

    /// <summary>The unit of all numbers of samples of this profile, such as <see cref="SampleCount"/> and
    /// <see cref="CpuProfileMethod.OwnSampleCount"/>: <c>samples</c>. In a profile of another tool, it can also be <c>nanoseconds</c>, or
    /// a unit that is not a time, such as <c>bytes</c> or <c>count</c>.</summary>
    public string SampleUnit { get; internal init => field = CleanText.Of(value); } = SamplesUnit;

    /// <summary>The number of samples per second of CPU time, as requested; 0 if it is unknown, or if <see cref="SampleUnit"/> is not
    /// <c>samples</c>.</summary>
    public int Frequency { get; internal init; }

    /// <summary>The perf event that triggers the samples: <c>cycles</c>, or <c>cpu-clock</c> without a PMU. Empty in a profile of another
    /// tool.</summary>
    public string EventName { get; internal init; } = "cpu-clock";

    /// <summary>Whether kernel code was sampled.</summary>
    public bool IncludesKernel { get; internal init; }

    /// <summary>The CPU time that the process used during sampling, according to the kernel. For a process that has exited, the value is
    /// from up to 0.25 s before its exit. 0 if it is unknown, as for a part of a profile (<see cref="Of"/>,
    /// <see cref="ByRoute"/>).</summary>
    public CpuUsage CpuUsage { get; internal init; }

    /// <summary>The number of samples, or the total in <see cref="SampleUnit"/>.</summary>
    public long SampleCount => Root.SampleCount;

    /// <summary>The number of samples that were lost because they were not read in time, or because memory for distinct stacks ran
    /// out.</summary>
    public long LostSampleCount { get; internal init; }

    /// <summary>The number of samples whose innermost function has no name.</summary>
    public long UnnamedSampleCount { get; }

    /// <summary>The limitations of this profile, such as names that could not be read, with the reasons; empty if there are none.</summary>
    public IReadOnlyList<string> Notes { get; internal init => field = [.. value.Select(CleanText.Of)]; } = [];

    /// <summary>The call tree. Its root is not a function, and represents all samples.</summary>
    public CpuProfileNode Root { get; }

    /// <summary>The size of the sample that the profile is; null if it is unknown.</summary>
    internal SampleSize? Size
    {
        get => SampleUnit == SamplesUnit ? new(SampleCount, SampleCount) : field;
        init;
    }

    /// <summary>The numbers of samples per second; 0 if they do not represent a time.</summary>
    internal double UnitsPerSecond => SampleUnit switch { SamplesUnit => Frequency, TimeUnit => NanosecondsPerSecond, _ => 0 };

    /// <summary>Returns the time that a number of samples represents; 0 if it is unknown.</summary>
    internal TimeSpan TimeOf(long samples) => UnitsPerSecond > 0
        ? TimeSpan.FromSeconds(Math.Min(samples / UnitsPerSecond, MaxTime.TotalSeconds))
        : TimeSpan.Zero;
}
