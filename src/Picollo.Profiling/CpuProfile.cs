using Picollo.Cpu;
using Picollo.Export;

namespace Picollo.Profiling;

/// <summary>A CPU profile of a process: a call tree with the number of samples of each node.</summary>
/// <remarks>
/// <para>A sample is taken each time a thread has used another <c>1 / Frequency</c> seconds of CPU time. A thread that waits has no
/// samples. The standard error of a share is at most 1.6 percentage points for 1,000 samples and 0.5 points for 10,000 samples (binomial
/// distribution).</para>
/// <para>Immutable and thread-safe.</para>
/// </remarks>
public sealed partial class CpuProfile
{
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

    /// <summary>The number of samples per second of CPU time, as requested.</summary>
    public int Frequency { get; internal init; }

    /// <summary>The perf event that triggers the samples: <c>cycles</c>, or <c>cpu-clock</c> without a PMU.</summary>
    public string EventName { get; internal init; } = "cpu-clock";

    /// <summary>Whether kernel code was sampled.</summary>
    public bool IncludesKernel { get; internal init; }

    /// <summary>The CPU time that the process used during sampling, according to the kernel. For a process that has exited, the value is
    /// from up to 0.25 s before its exit. 0 if it is unknown, as for a part of a profile (<see cref="Of"/>,
    /// <see cref="ByRoute"/>).</summary>
    public CpuUsage CpuUsage { get; internal init; }

    /// <summary>The number of samples.</summary>
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

    /// <summary>Returns the CPU time that a number of samples represents.</summary>
    internal TimeSpan TimeOf(long samples) => Frequency > 0 ? TimeSpan.FromSeconds(samples / (double)Frequency) : TimeSpan.Zero;
}
