using Picollo.Export;
using Picollo.Export.Text;

namespace Picollo.Profiling.Output;

/// <summary>A part of the page of a profile, such as the requests of one route. Its name is unique within the page, and can be the fragment
/// of the page's address. The whole profile contains these and other samples; null if the part is a whole profile.</summary>
internal sealed record ProfilePart(string Name, ProfileData Profile, ProfileData? Whole = null);

/// <summary>A part of the page of a difference, which is like a <see cref="ProfilePart"/>.</summary>
internal sealed record DifferencePart(string Name, DifferenceData Difference, DifferenceData? Whole = null);

/// <summary>The content of a part on the page, for a profile or a difference. A fact is a name, a value, and a detail.</summary>
internal sealed record ProfilePagePart(
    string Name,
    FlameTree Tree,
    IEnumerable<(CpuProfileFrame Frame, SampleCounts Own, SampleCounts Total)> Functions,
    IReadOnlyList<(string Name, string Value, string Detail)> Facts,
    IReadOnlyList<string> Notes)
{
    /// <summary>The profile, or the two profiles that are compared.</summary>
    public required IReadOnlyList<ProfileData> Profiles { get; init; }

    /// <summary>The reason why there are no samples; null if there are samples.</summary>
    public string? NoSamplesReason { get; private init; }

    public static ProfilePagePart From(ProfilePart part)
    {
        ProfileData profile = part.Profile;
        return new(
            CleanText.From(part.Name),
            new FlameTree(profile.Root),
            profile.GetMethods().Select(method =>
                (method.Frame, new SampleCounts(method.OwnValue, 0), new SampleCounts(method.Value, 0))),
            FactsOf(profile, part.Whole),
            profile.Notes)
        {
            Profiles = [profile],
            NoSamplesReason = profile.Value > 0 ? null : ProfileText.NoSamplesReason(profile),
        };
    }

    public static ProfilePagePart From(DifferencePart part)
    {
        DifferenceData difference = part.Difference;
        SampleCounts samples = difference.SampleCounts;
        return new(
            CleanText.From(part.Name),
            new FlameTree(difference.Roots.Before, difference.Roots.After),
            difference.GetMethods().Select(method => (method.Frame, method.Own, method.Total)),
            FactsOf(difference, part.Whole),
            difference.Notes)
        {
            Profiles = [difference.Before, difference.After],
            NoSamplesReason = samples == default ? "Neither profile has any." : null,
        };
    }

    private static (string Name, string Value, string Detail)[] FactsOf(ProfileData profile, ProfileData? whole) =>
    [
        ("Samples", SamplesOf(profile), ""),
        .. whole is null ? [] : new[] { ("Share", ProfileText.Share(profile.Value, whole.Value), "of all samples") },
        TotalOf(profile),
        ("Duration", DurationOf(profile), ""),
        .. profile.EventName.Length == 0 ? [] : SamplingOf(profile),
        ("Unnamed", profile.SampleUnit == ProfileData.SamplesUnit
            ? Count(profile.UnnamedValue)
            : ProfileText.Amount(profile, profile.UnnamedValue), OfSamples(profile.UnnamedValue, profile.Value)),
    ];

    private static (string Name, string Value, string Detail)[] SamplingOf(ProfileData profile) =>
    [
        ("Frequency", string.Create(CultureInfo.InvariantCulture, $"{profile.Frequency:N0} Hz"), "of CPU time"),
        ("Sampling event", FittedText.Shorten(profile.EventName, 30), profile.IncludesKernel ? "" : "user mode only"),
        ("Lost", Count(profile.LostSampleCount), OfSamples(profile.LostSampleCount, profile.Value + profile.LostSampleCount)),
    ];

    private static (string Name, string Value, string Detail)[] FactsOf(DifferenceData difference, DifferenceData? whole)
    {
        return
        [
            Change("Samples", SamplesOf),
            .. whole is null ? [] : new[] { ShareOf(whole) },
            Change(TotalOf(difference.After).Name, profile => TotalOf(profile).Value),
            Change("Duration", profile => DurationOf(profile)),
        ];

        (string, string, string) Change(string name, Func<ProfileData, string> format) =>
            (name, $"{format(difference.Before)} → {format(difference.After)}", "before → after");

        (string, string, string) ShareOf(DifferenceData whole)
        {
            string before = ProfileText.Share(difference.Before.Value, whole.Before.Value);
            string after = ProfileText.Share(difference.After.Value, whole.After.Value);
            return ("Share", $"{before} → {after}", "of all samples, before → after");
        }
    }

    private static string Count(long count) => count.ToString("N0", CultureInfo.InvariantCulture);

    private static string DurationOf(ProfileData profile) =>
        profile.Duration > TimeSpan.Zero ? ProfileText.Time(profile.Duration) : "unknown";

    private static string OfSamples(long count, long all) => ProfileText.Share(count, all) + " of samples";

    private static string SamplesOf(ProfileData profile) => profile.Size is { } size ? Count(size.Count) : "unknown";

    /// <summary>Returns what the profile shows: the CPU time according to the kernel, the time that the samples of a part represent, or the
    /// total of another type.</summary>
    private static (string Name, string Value, string Detail) TotalOf(ProfileData profile)
    {
        TimeSpan sampled = profile.TimeOf(profile.Value);
        return !ProfileText.IsCpuTime(profile)
            ? (profile.SampleType, profile.Frequency > 0 ? ProfileText.Time(sampled) : ProfileText.Amount(profile, profile.Value), "")
            : profile.CpuUsage is { TotalNanoseconds: > 0 } used
                // The kernel part of a request's CPU time is unknown.
                ? ("CPU time", ProfileText.Time(used.Total), used.KernelNanoseconds > 0
                    ? $"{ProfileText.Time(used.Kernel)} in the kernel"
                    : "")
            : ("CPU time", ProfileText.Time(sampled), profile.Value == 0 ? "" : "estimated from the samples");
    }
}
