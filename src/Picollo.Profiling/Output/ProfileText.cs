using Picollo.Export.Plots;
using static System.FormattableString;

namespace Picollo.Profiling.Output;

/// <summary>Formats numbers and sentences for the graphical output of a profile.</summary>
internal static class ProfileText
{
    public static string Samples(long count) => count == 1 ? "1 sample" : Invariant($"{count:N0} samples");

    /// <summary>Formats a share in percent, with one decimal, or two below 1 %.</summary>
    public static string Share(long part, long whole) => Share(whole == 0 ? 0 : (double)part / whole);

    /// <inheritdoc cref="Share(long, long)"/>
    public static string Share(double share)
    {
        double percent = 100 * share;
        return percent is > 0 and < 1 ? Invariant($"{percent:0.00} %") : Invariant($"{percent:0.0} %");
    }

    public static string Time(TimeSpan time) => time.TotalSeconds is > 0 and < 0.1
        ? $"{PlotText.Value(Math.Round(time.TotalMilliseconds, 2))} ms"
        : $"{PlotText.Value(Math.Round(time.TotalSeconds, 2))} s";

    /// <summary>Formats the samples of a node with their share and the CPU time that they represent.</summary>
    public static string Weight(CpuProfile profile, long samples) =>
        $"{Samples(samples)}, {Share(samples, profile.SampleCount)}, {Time(profile.TimeOf(samples))}";

    /// <summary>Formats the samples of a node in two profiles, with their shares, and the change of the share.</summary>
    public static string Weight(SampleCounts counts, SampleCounts all)
    {
        ShareChange change = ShareChange.Of(counts, all);
        return $"before {Share(counts.Before, all.Before)} ({Samples(counts.Before)}), after {Share(counts.After, all.After)} "
            + $"({Samples(counts.After)}), change {Points(change.Points)} points{(change.MayBeRandom ? ", may be random" : "")}";
    }

    public static string Points(double points) => Invariant($"{points:+0.00;-0.00;0.00}");

    /// <summary>Returns the size of a change of a share, for its color: 0 for a change that may be random; otherwise 1 below a point, 2
    /// below <see cref="LargePoints"/>, and 3; negative if the share is smaller.</summary>
    public static int StepOf(SampleCounts counts, SampleCounts all)
    {
        ShareChange change = ShareChange.Of(counts, all);
        int size = Math.Abs(change.Points) switch { < 1 => 1, < LargePoints => 2, _ => MaxStep };
        return change.MayBeRandom ? 0 : Math.Sign(change.Points) * size;
    }

    /// <summary>Returns the name of a step in a legend.</summary>
    public static string Step(int step) => step == 0
        ? "may be random"
        : (step < 0 ? "less: " : "more: ") + Math.Abs(step) switch { 1 => "below 1 point", 2 => "1 to 5", _ => "5 points or more" };

    public static IEnumerable<int> Steps => Enumerable.Range(-MaxStep, (2 * MaxStep) + 1);

    private const int MaxStep = 3;
    private const double LargePoints = 5;

    public static string Event(CpuProfile profile) => profile.EventName + (profile.IncludesKernel ? "" : ", user mode only");

    /// <summary>Returns why a profile has no samples.</summary>
    public static string NoSamplesReason(CpuProfile profile) => profile switch
    {
        { LostSampleCount: > 0 } => $"All of them were lost: {Samples(profile.LostSampleCount)}.",
        { CpuUsage.TotalNanoseconds: > 0 } =>
            $"The process used {Time(profile.CpuUsage.Total)} of CPU time; a sample is taken every {Time(profile.TimeOf(1))}. "
            + "Use a higher frequency.",
        _ => "The process used no CPU time while it was sampled.",
    };
}
