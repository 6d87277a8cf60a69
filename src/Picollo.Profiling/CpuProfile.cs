using Picollo.Cpu;
using Picollo.Export;

namespace Picollo.Profiling;

/// <summary>Where a process spent its CPU time: a tree of calls with the number of samples of each.</summary>
/// <remarks>
/// <para>A sample is taken each time a thread has used another <c>1 / Frequency</c> seconds of CPU time on a CPU. A thread that waits
/// has no samples. A share of 1,000 samples has a standard error of at most 1.6 points, of 10,000 samples 0.5 points (binomial
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

    /// <summary>When sampling began, in UTC.</summary>
    public DateTime StartTimeUtc { get; internal init; }

    /// <summary>How long the process was sampled.</summary>
    public TimeSpan Duration { get; internal init; }

    /// <summary>Samples for each second of CPU time, as requested.</summary>
    public int Frequency { get; internal init; }

    /// <summary>The perf event that takes the samples: <c>cycles</c>, or <c>cpu-clock</c> where there is no PMU.</summary>
    public string EventName { get; internal init; } = "cpu-clock";

    /// <summary>Whether the kernel's code was sampled.</summary>
    public bool IncludesKernel { get; internal init; }

    /// <summary>The CPU time that the process used meanwhile, by the kernel's own accounting. For a process that
    /// has ended, up to 0.25 s before its end. 0 where it is not known: of a part of a profile (<see cref="Of"/>,
    /// <see cref="ByRoute"/>).</summary>
    public CpuUsage CpuUsage { get; internal init; }

    /// <summary>Number of samples.</summary>
    public long SampleCount => Root.SampleCount;

    /// <summary>Number of samples that were lost because nothing read them in time, or memory for distinct stacks ran out.</summary>
    public long LostSampleCount { get; internal init; }

    /// <summary>Number of samples whose innermost function has no name.</summary>
    public long UnnamedSampleCount { get; }

    /// <summary>What limits this profile, such as names that could not be read, with the reason; empty where nothing does.</summary>
    public IReadOnlyList<string> Notes { get; internal init => field = [.. value.Select(CleanText.Of)]; } = [];

    /// <summary>The tree of calls. Its root is not a function, and stands for all samples.</summary>
    public CpuProfileNode Root { get; }

    /// <summary>The CPU time that a number of samples stands for.</summary>
    internal TimeSpan TimeOf(long samples) => Frequency > 0 ? TimeSpan.FromSeconds(samples / (double)Frequency) : TimeSpan.Zero;
}
