using System.Text.RegularExpressions;

namespace Picollo.Profiling;

internal sealed partial class DifferenceData(ProfileData before, ProfileData after)
{
    private const string NoIntervals = "The changes have no confidence interval, because the number of samples is unknown.";

    public ProfileData Before { get; } = before;

    public ProfileData After { get; } = after;

    public SampleCounts SampleCounts => new(Before.Value, After.Value);

    public SampleSizes SampleSizes => new(Before.Size?.Effective, After.Size?.Effective);

    public bool HasIntervals => SampleSizes is { Before: not null, After: not null };

    public (CpuProfileNode Before, CpuProfileNode After) Roots { get; } = (WithoutProcessIds(before), WithoutProcessIds(after));

    public IReadOnlyList<CpuProfileMethodDifference> GetMethods()
    {
        Dictionary<CpuProfileFrame, (SampleCounts Own, SampleCounts Total)> counts = [];
        foreach (CpuProfileMethod method in Before.GetMethods())
        {
            counts[method.Frame] = (new(method.OwnValue, 0), new(method.Value, 0));
        }

        foreach (CpuProfileMethod method in After.GetMethods())
        {
            (SampleCounts own, SampleCounts total) = counts.GetValueOrDefault(method.Frame);
            counts[method.Frame] = (own with { After = method.OwnValue }, total with { After = method.Value });
        }

        return
        [
            .. counts.Select(pair => new CpuProfileMethodDifference(
                    pair.Key, pair.Value.Own, pair.Value.Total, SampleCounts, SampleSizes))
                .OrderByDescending(method => Math.Abs(method.Change.Points))
                .ThenByDescending(method => Math.Abs(method.Total.PercentAfter(SampleCounts) - method.Total.PercentBefore(SampleCounts)))
                .ThenByDescending(method => method.ShareAfter)
                .ThenBy(method => method.Frame.Name, StringComparer.Ordinal)
                .ThenBy(method => method.Frame.Module, StringComparer.Ordinal),
        ];
    }

    /// <summary>The limitations of both profiles and of the difference.</summary>
    public IReadOnlyList<string> Notes =>
    [
        .. Before.Notes.Select(note => $"Before: {note}"), .. After.Notes.Select(note => $"After: {note}"),
        .. Before.IncludesKernel == After.IncludesKernel
            ? Array.Empty<string>()
            : ["Only one of the profiles has samples of kernel code, so the shares cannot be compared."],
        .. HasIntervals ? Array.Empty<string>() : [NoIntervals],
    ];

    /// <summary>Returns the unit of the shares: samples are comparable with times, because each represents the same time.</summary>
    public static string UnitOf(ProfileData profile) =>
        profile.SampleUnit == ProfileData.SamplesUnit ? ProfileData.TimeUnit : profile.SampleUnit;

    private static CpuProfileNode WithoutProcessIds(ProfileData profile)
    {
        if (!profile.Root.Children.Any(child => child.Frame.Kind == CpuProfileFrameKind.Group && ProcessId().IsMatch(child.Frame.Name)))
        {
            return profile.Root;
        }

        CpuProfileNode root = new(profile.Root.Frame);
        foreach ((IReadOnlyList<CpuProfileFrame> stack, long count) in profile.GetStacks())
        {
            CpuProfileFrame[] frames = stack[0] == profile.Root.Frame ? [] : [.. stack];
            if (frames is [{ Kind: CpuProfileFrameKind.Group } group, ..])
            {
                frames[0] = new(ProcessId().Replace(group.Name, "(process"), group.Module, group.Kind);
            }

            root.Add(frames, count);
        }

        return root;
    }

    [GeneratedRegex(@"\(process \d+")]
    private static partial Regex ProcessId();
}

/// <summary>The numbers of samples before and after a change. A single profile has only the number before.</summary>
internal readonly record struct SampleCounts(long Before, long After)
{
    public static SampleCounts operator +(SampleCounts left, SampleCounts right) =>
        new(left.Before + right.Before, left.After + right.After);

    public static SampleCounts operator -(SampleCounts left, SampleCounts right) =>
        new(left.Before - right.Before, left.After - right.After);

    public double PercentBefore(SampleCounts all) => Percent(Before, all.Before);

    public double PercentAfter(SampleCounts all) => Percent(After, all.After);

    private static double Percent(long part, long whole) => whole == 0 ? 0 : 100.0 * part / whole;
}

/// <summary>The size of a statistical sample.</summary>
/// <param name="Count">The number of samples.</param>
/// <param name="Effective">The number of samples with equal weights that have the same sampling error (L. Kish, "Survey Sampling", 1965):
/// <c>(Σw)²/Σw²</c>. It is smaller than <paramref name="Count"/> if a few long samples determine the shares.</param>
internal readonly record struct SampleSize(long Count, long Effective);

/// <summary>The effective sizes of two profiles; null if one is unknown.</summary>
internal readonly record struct SampleSizes(long? Before, long? After);

/// <summary>The change of a share of the samples in percentage points, with its 95 % confidence interval
/// (<see cref="CpuProfileMethodDifference.OwnShareChangeLower"/>), which is null if a sample size is unknown.</summary>
internal readonly record struct ShareChange(double Points, double? LowerPoints, double? UpperPoints)
{
    private const double Z = 1.959963984540054; // the 97.5 % quantile of the normal distribution
    private const double MaxPoints = 100;

    public bool HasInterval => LowerPoints is not null;

    public bool MayBeRandom => !(LowerPoints > 0 || UpperPoints < 0);

    /// <summary>All samples are in the units of the profiles.</summary>
    public static ShareChange Compute(SampleCounts part, SampleCounts all, SampleSizes sizes)
    {
        double points = part.PercentAfter(all) - part.PercentBefore(all);
        if (all.Before == 0 || all.After == 0)
        {
            return new(points, -MaxPoints, MaxPoints);
        }

        if (sizes is not { Before: { } n, After: { } m })
        {
            return new(points, null, null);
        }

        (double before, double after) = (Adjusted(part.Before, all.Before, n), Adjusted(part.After, all.After, m));
        double variance = (before * (1 - before) / (n + 2.0)) + (after * (1 - after) / (m + 2.0));
        (double middle, double margin) = (100 * (after - before), 100 * Z * Math.Sqrt(variance));
        return new(points, Math.Max(middle - margin, -MaxPoints), Math.Min(middle + margin, MaxPoints));
    }

    private static double Adjusted(double part, double all, double size) => ((part / all * size) + 1) / (size + 2);
}
