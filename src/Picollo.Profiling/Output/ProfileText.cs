using Picollo.Export.Text;
using static System.FormattableString;

namespace Picollo.Profiling.Output;

/// <summary>Formats numbers and sentences for the graphical output of a profile.</summary>
internal static class ProfileText
{
    private const string BytesUnit = "bytes";

    public static string Samples(long count) => count == 1 ? "1 sample" : Invariant($"{count:N0} samples");

    public static string Share(long part, long whole) => Quantity.Percent(whole == 0 ? 0 : (double)part / whole);

    public static string Time(TimeSpan time) => Quantity.Time(time.TotalNanoseconds);

    public static string Title(ProfileData profile) => profile.Title.Length > 0 ? profile.Title : "unknown program";

    /// <summary>Returns the common title of both profiles, or both titles.</summary>
    public static string Title(DifferenceData difference) => difference.Before.Title == difference.After.Title
        ? Title(difference.After)
        : $"{Title(difference.Before)} → {Title(difference.After)}";

    public static string Amount(ProfileData profile, long samples) => profile.SampleUnit switch
    {
        ProfileData.SamplesUnit => Samples(samples),
        ProfileData.TimeUnit => Quantity.Time(profile.NanosecondsOf(samples)),
        ProfileData.CountUnit => Quantity.Count(samples),
        BytesUnit => Quantity.Bytes(samples),
        string unit => Invariant($"{samples:N0} {unit}"),
    };

    /// <summary>Formats the samples of a node with their share and the time that they represent.</summary>
    public static string Weight(ProfileData profile, long samples)
    {
        string time = profile.Frequency > 0 ? $", {Quantity.Time(profile.NanosecondsOf(samples))}" : "";
        return $"{Amount(profile, samples)}, {Share(samples, profile.Value)}{time}";
    }

    /// <summary>Formats the samples of a node in two profiles, with their shares, and the change of the share.</summary>
    public static string Weight(DifferenceData difference, SampleCounts counts)
    {
        SampleCounts all = difference.SampleCounts;
        ShareChange change = ShareChange.Compute(counts, all, difference.SampleSizes);
        return $"before {Share(counts.Before, all.Before)} ({Amount(difference.Before, counts.Before)}), "
            + $"after {Share(counts.After, all.After)} ({Amount(difference.After, counts.After)}), "
            + $"change {Points(change.Points)} points{(change.HasInterval && change.MayBeRandom ? ", may be random" : "")}";
    }

    public static bool IsCpuTime(ProfileData profile) =>
        profile.SampleType == ProfileData.CpuType && profile.SampleUnit is ProfileData.SamplesUnit or ProfileData.TimeUnit;

    /// <summary>Returns what a profile shows, such as "CPU time" or "inuse_space (bytes)".</summary>
    public static string Type(ProfileData profile) =>
        IsCpuTime(profile) ? TypeName(profile) : $"{profile.SampleType} ({profile.SampleUnit})";

    /// <summary>Returns the kind of a profile for a heading, such as "CPU profile" or "inuse_space profile".</summary>
    public static string Kind(ProfileData profile) => IsCpuTime(profile) ? "CPU profile" : $"{profile.SampleType} profile";

    public static string Total(ProfileData profile)
    {
        string duration = profile.Duration > TimeSpan.Zero ? $" in {Seconds(profile.Duration)}" : "";
        string name = TypeName(profile);
        if (profile.SampleUnit == ProfileData.SamplesUnit)
        {
            string rate = profile.Frequency > 0 ? Invariant($"at {profile.Frequency} Hz; {SampledTime(profile, name)}")
                : profile.SampleType == ProfileData.SamplesUnit ? "of an unknown type"
                : $"of {name}";
            return Invariant($"{profile.Value:N0} samples {rate}{duration}");
        }

        string total = profile.SampleUnit == ProfileData.TimeUnit
            ? Seconds(profile.TimeOf(profile.Value))
            : Amount(profile, profile.Value);
        return $"{name} {total}{duration}{(profile.Size is { Count: > 0 } size ? $"; {Samples(size.Count)}" : "")}";
    }

    /// <summary>Formats a time in seconds, which makes the times of a text comparable.</summary>
    public static string Seconds(TimeSpan time) => Invariant($"{time.TotalSeconds:N3} s");

    private static string SampledTime(ProfileData profile, string name) =>
        !IsCpuTime(profile) ? $"{name} {Seconds(profile.TimeOf(profile.Value))}"
        : profile.CpuUsage is { TotalNanoseconds: > 0 } || profile.Value == 0 ? Invariant($"{name} {profile.CpuUsage ?? default:s}")
        : $"{name} of the samples {Seconds(profile.TimeOf(profile.Value))}";

    private static string TypeName(ProfileData profile) => IsCpuTime(profile) ? "CPU time" : profile.SampleType;

    public static string Points(double? points) => Invariant($"{points:+0.00;-0.00;0.00}");

    /// <summary>Returns the size of a change of a share, for its color: 0 for a change that may be random; otherwise 1 below a point, 2
    /// below <see cref="LargePoints"/>, and 3; negative if the share is smaller. Without confidence intervals, only an equal share is
    /// 0.</summary>
    public static int StepOf(DifferenceData difference, SampleCounts counts)
    {
        ShareChange change = ShareChange.Compute(counts, difference.SampleCounts, difference.SampleSizes);
        int size = Math.Abs(change.Points) switch { < 1 => 1, < LargePoints => 2, _ => MaxStep };
        return change.HasInterval && change.MayBeRandom ? 0 : Math.Sign(change.Points) * size;
    }

    /// <summary>Returns the name of a step in a legend.</summary>
    public static string Step(int step, bool hasIntervals) => step == 0
        ? hasIntervals ? "may be random" : "equal"
        : (step < 0 ? "less: " : "more: ") + Math.Abs(step) switch { 1 => "below 1 point", 2 => "1 to 5", _ => "5 points or more" };

    public static IEnumerable<int> Steps => Enumerable.Range(-MaxStep, (2 * MaxStep) + 1);

    private const int MaxStep = 3;
    private const double LargePoints = 5;

    public static string Event(ProfileData profile) => profile.EventName + (profile.IncludesKernel ? "" : ", user mode only");

    public static string NoSamplesReason(ProfileData profile) => profile switch
    {
        { EventName: "" } => $"The file has no values of the type {profile.SampleType}, or all are 0.",
        { LostSampleCount: > 0 } => $"All of them were lost: {Samples(profile.LostSampleCount)}.",
        { CpuUsage: { TotalNanoseconds: > 0 } used } =>
            $"The process used {Time(used.Total)} of CPU time; a sample is taken every {Time(profile.TimeOf(1))}. "
            + "Use a higher frequency.",
        _ => "The process used no CPU time while it was sampled.",
    };
}
