using Picollo.Export;
using Picollo.Export.Plots;

namespace Picollo.Profiling.Output;

/// <summary>A part of the page of a profile, such as the requests of one route.</summary>
/// <param name="Name">The name, which the page's fragment may have. The names of a page differ.</param>
/// <param name="Profile">The samples of the part.</param>
/// <param name="Whole">The profile that has these samples and others; null if the part is a profile of its own.</param>
internal sealed record ProfilePart(string Name, CpuProfile Profile, CpuProfile? Whole = null);

/// <summary>A part of the page of a difference.</summary>
/// <inheritdoc cref="ProfilePart" path="/param"/>
/// <param name="Name">The name.</param>
/// <param name="Difference">The samples of the part before and after a change.</param>
/// <param name="Whole">As that of a <see cref="ProfilePart"/>.</param>
internal sealed record DifferencePart(string Name, CpuProfileDifference Difference, CpuProfileDifference? Whole = null);

/// <summary>What a page shows of a part, of a profile or of a difference.</summary>
/// <param name="Name">The name.</param>
/// <param name="Tree">The tree of calls.</param>
/// <param name="Functions">The functions, in the order of their table.</param>
/// <param name="Facts">What was measured: name, value, and a detail or an empty text.</param>
/// <param name="Notes">What limits it.</param>
internal sealed record PagePart(
    string Name,
    FlameTree Tree,
    IEnumerable<(CpuProfileFrame Frame, SampleCounts Own, SampleCounts Total)> Functions,
    IReadOnlyList<(string Name, string Value, string Detail)> Facts,
    IReadOnlyList<string> Notes)
{
    /// <summary>Samples for each second of CPU time; 0 in a difference, which compares shares.</summary>
    public int Frequency { get; private init; }

    /// <summary>Why there are no samples; null if there are.</summary>
    public string? ReasonOfNone { get; private init; }

    public static PagePart Of(ProfilePart part)
    {
        CpuProfile profile = part.Profile;
        return new(
            CleanText.Of(part.Name),
            new FlameTree(profile.Root),
            profile.GetMethods().Select(method =>
                (method.Frame, new SampleCounts(method.OwnSampleCount, 0), new SampleCounts(method.SampleCount, 0))),
            FactsOf(profile, part.Whole),
            profile.Notes)
        {
            Frequency = profile.Frequency,
            ReasonOfNone = profile.SampleCount > 0 ? null : ProfileText.ReasonOfNone(profile),
        };
    }

    public static PagePart Of(DifferencePart part)
    {
        CpuProfileDifference difference = part.Difference;
        SampleCounts samples = difference.SampleCounts;
        return new(
            CleanText.Of(part.Name),
            new FlameTree(difference.Roots.Before, difference.Roots.After),
            difference.GetMethods().Select(method => (method.Frame, method.Own, method.Total)),
            FactsOf(difference, part.Whole),
            difference.Notes)
        {
            ReasonOfNone = samples == default ? "Neither profile has any." : null,
        };
    }

    private static (string Name, string Value, string Detail)[] FactsOf(CpuProfile profile, CpuProfile? whole) =>
    [
        ("Samples", Count(profile.SampleCount), ""),
        .. whole is null ? [] : new[] { ("Share", ProfileText.Share(profile.SampleCount, whole.SampleCount), "of all samples") },
        ("CPU time", CpuTime(profile), KernelTime(profile)),
        ("Duration", ProfileText.Time(profile.Duration), ""),
        ("Frequency", string.Create(CultureInfo.InvariantCulture, $"{profile.Frequency:N0} Hz"), "of CPU time"),
        ("Sampling event", PlotText.Shorten(profile.EventName, 30), profile.IncludesKernel ? "" : "user mode only"),
        Counted("Lost", profile.LostSampleCount, profile.SampleCount + profile.LostSampleCount),
        Counted("Unnamed", profile.UnnamedSampleCount, profile.SampleCount),
    ];

    private static (string Name, string Value, string Detail)[] FactsOf(CpuProfileDifference difference, CpuProfileDifference? whole)
    {
        return
        [
            Change("Samples", profile => Count(profile.SampleCount)),
            .. whole is null ? [] : new[] { ShareOf(whole) },
            Change("CPU time", CpuTime),
            Change("Duration", profile => ProfileText.Time(profile.Duration)),
        ];

        (string, string, string) Change(string name, Func<CpuProfile, string> format) =>
            (name, $"{format(difference.Before)} → {format(difference.After)}", "before → after");

        (string, string, string) ShareOf(CpuProfileDifference whole)
        {
            string before = ProfileText.Share(difference.Before.SampleCount, whole.Before.SampleCount);
            string after = ProfileText.Share(difference.After.SampleCount, whole.After.SampleCount);
            return ("Share", $"{before} → {after}", "of all samples, before → after");
        }
    }

    private static string Count(long count) => count.ToString("N0", CultureInfo.InvariantCulture);

    /// <summary>The CPU time of the kernel's accounting, or what the samples of a part stand for.</summary>
    private static string CpuTime(CpuProfile profile) =>
        ProfileText.Time(profile.CpuUsage.TotalNanoseconds > 0 ? profile.CpuUsage.Total : profile.TimeOf(profile.SampleCount));

    // Of a request, it is not known how much of its CPU time was in the kernel.
    private static string KernelTime(CpuProfile profile) =>
        profile.CpuUsage.KernelNanoseconds > 0 ? $"{ProfileText.Time(profile.CpuUsage.Kernel)} in the kernel"
        : profile.CpuUsage.TotalNanoseconds > 0 || profile.SampleCount == 0 ? ""
        : "estimated from the samples";

    private static (string Name, string Value, string Detail) Counted(string name, long count, long all) =>
        (name, Count(count), ProfileText.Share(count, all) + " of samples");
}
