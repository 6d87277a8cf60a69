using Picollo.Export;
using Picollo.Export.Plots;

namespace Picollo.Profiling.Output;

/// <summary>A part of the page of a profile, such as the requests of one route.</summary>
/// <param name="Name">The name, which the page's fragment may have. The names of a page differ.</param>
/// <param name="Profile">The samples of the part.</param>
internal sealed record ProfilePart(string Name, CpuProfile Profile);

/// <summary>A part of the page of a difference.</summary>
/// <inheritdoc cref="ProfilePart" path="/param"/>
/// <param name="Name">The name.</param>
/// <param name="Difference">The samples of the part before and after a change.</param>
internal sealed record DifferencePart(string Name, CpuProfileDifference Difference);

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

    public static IReadOnlyList<PagePart> Of(IReadOnlyList<ProfilePart> parts)
    {
        // The first part has all samples, or all but those of the last parts.
        long all = Math.Max(parts[0].Profile.SampleCount, parts.Skip(1).Sum(part => part.Profile.SampleCount));
        return [.. parts.Select(part => Of(part, parts.Count > 1 ? all : null))];
    }

    public static IReadOnlyList<PagePart> Of(IReadOnlyList<DifferencePart> parts)
    {
        SampleCounts all = new(
            Math.Max(parts[0].Difference.Before.SampleCount, parts.Skip(1).Sum(part => part.Difference.Before.SampleCount)),
            Math.Max(parts[0].Difference.After.SampleCount, parts.Skip(1).Sum(part => part.Difference.After.SampleCount)));
        return [.. parts.Select(part => Of(part, parts.Count > 1 ? all : null))];
    }

    private static PagePart Of(ProfilePart part, long? all)
    {
        CpuProfile profile = part.Profile;
        return new(
            CleanText.Of(part.Name),
            new FlameTree(profile.Root),
            profile.GetMethods().Select(method =>
                (method.Frame, new SampleCounts(method.OwnSampleCount, 0), new SampleCounts(method.SampleCount, 0))),
            FactsOf(profile, all),
            profile.Notes)
        {
            Frequency = profile.Frequency,
            ReasonOfNone = profile.SampleCount > 0 ? null : ProfileText.ReasonOfNone(profile),
        };
    }

    private static PagePart Of(DifferencePart part, SampleCounts? all)
    {
        CpuProfileDifference difference = part.Difference;
        SampleCounts samples = difference.SampleCounts;
        return new(
            CleanText.Of(part.Name),
            new FlameTree(difference.Roots.Before, difference.Roots.After),
            difference.GetMethods().Select(method => (method.Frame, method.Own, method.Total)),
            FactsOf(difference, all),
            difference.Notes)
        {
            ReasonOfNone = samples == default ? "Neither profile has any." : null,
        };
    }

    private static (string Name, string Value, string Detail)[] FactsOf(CpuProfile profile, long? all) =>
    [
        ("Samples", Count(profile.SampleCount), ""),
        .. all is { } whole ? new[] { ("Share", ProfileText.Share(profile.SampleCount, whole), "of all samples") } : [],
        ("CPU time", CpuTime(profile), KernelTime(profile)),
        ("Duration", ProfileText.Time(profile.Duration), ""),
        ("Frequency", string.Create(CultureInfo.InvariantCulture, $"{profile.Frequency:N0} Hz"), "of CPU time"),
        ("Event", PlotText.Shorten(profile.EventName, 30), profile.IncludesKernel ? "" : "without the kernel"),
        Counted("Lost", profile.LostSampleCount, profile.SampleCount + profile.LostSampleCount),
        Counted("Unnamed", profile.UnnamedSampleCount, profile.SampleCount),
    ];

    private static (string Name, string Value, string Detail)[] FactsOf(CpuProfileDifference difference, SampleCounts? all)
    {
        (CpuProfile before, CpuProfile after) = (difference.Before, difference.After);
        (string, string, string)[] share = all is not { } whole ? [] :
        [
            (
                "Share after",
                ProfileText.Share(after.SampleCount, whole.After),
                $"before: {ProfileText.Share(before.SampleCount, whole.Before)}"),
        ];
        return
        [
            ("Samples after", Count(after.SampleCount), $"before: {Count(before.SampleCount)}"),
            .. share,
            ("CPU time after", CpuTime(after), $"before: {CpuTime(before)}"),
            ("Duration after", ProfileText.Time(after.Duration), $"before: {ProfileText.Time(before.Duration)}"),
        ];
    }

    private static string Count(long count) => count.ToString("N0", CultureInfo.InvariantCulture);

    /// <summary>The CPU time of the kernel's accounting, or what the samples of a part stand for.</summary>
    private static string CpuTime(CpuProfile profile) =>
        ProfileText.Time(profile.CpuUsage.TotalNanoseconds > 0 ? profile.CpuUsage.Total : profile.TimeOf(profile.SampleCount));

    private static string KernelTime(CpuProfile profile) => profile.CpuUsage.TotalNanoseconds > 0 || profile.SampleCount == 0
        ? $"{ProfileText.Time(profile.CpuUsage.Kernel)} in the kernel"
        : "of its samples";

    private static (string Name, string Value, string Detail) Counted(string name, long count, long all) =>
        (name, Count(count), ProfileText.Share(count, all) + " of samples");
}
