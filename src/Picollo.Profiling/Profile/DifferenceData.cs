using System.Text.RegularExpressions;

namespace Picollo.Profiling;

/// <summary>The data of a <see cref="CpuProfileDifference"/>, for the formats.</summary>
/// <param name="before">The profile before the change.</param>
/// <param name="after">The profile after the change.</param>
internal sealed partial class DifferenceData(ProfileData before, ProfileData after)
{
    private const string NoIntervals = "The changes have no confidence interval, because the number of samples is unknown.";

    public ProfileData Before { get; } = before;

    public ProfileData After { get; } = after;

    public SampleCounts SampleCounts => new(Before.SampleCount, After.SampleCount);

    public SampleSizes SampleSizes => new(Before.Size?.Effective, After.Size?.Effective);

    /// <summary>Whether the changes have confidence intervals.</summary>
    public bool HasIntervals => SampleSizes is { Before: not null, After: not null };

    /// <summary>The trees to compare.</summary>
    public (CpuProfileNode Before, CpuProfileNode After) Roots { get; } = (WithoutProcessIds(before), WithoutProcessIds(after));

    public IReadOnlyList<CpuProfileMethodDifference> GetMethods()
    {
        Dictionary<CpuProfileFrame, (SampleCounts Own, SampleCounts Total)> counts = [];
        foreach (CpuProfileMethod method in Before.GetMethods())
        {
            counts[method.Frame] = (new(method.OwnSampleCount, 0), new(method.SampleCount, 0));
        }

        foreach (CpuProfileMethod method in After.GetMethods())
        {
            (SampleCounts own, SampleCounts total) = counts.GetValueOrDefault(method.Frame);
            counts[method.Frame] = (own with { After = method.OwnSampleCount }, total with { After = method.SampleCount });
        }

        return
        [
            .. counts.Select(pair => new CpuProfileMethodDifference(
                    pair.Key, pair.Value.Own, pair.Value.Total, SampleCounts, SampleSizes))
                .OrderByDescending(method => Math.Abs(method.OwnChangePoints))
                .ThenByDescending(method => Math.Abs(method.PercentAfter - method.PercentBefore))
                .ThenByDescending(method => method.PercentAfter)
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
                frames[0] = group with { Name = ProcessId().Replace(group.Name, "(process") };
            }

            root.Add(frames, count);
        }

        return root;
    }

    [GeneratedRegex(@"\(process \d+")]
    private static partial Regex ProcessId();
}
