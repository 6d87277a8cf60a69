using System.Text.RegularExpressions;
using Picollo.Profiling.Output;

namespace Picollo.Profiling;

/// <summary>The difference of two profiles, such as before and after a deployment or a change.</summary>
/// <remarks>
/// <para>Profiles have different durations, so the comparison uses shares of samples, not samples or times. A smaller share does not mean
/// that a function uses less time for its work, because the other functions may use more. Compare profiles of the same load.</para>
/// <para>Functions are equal if their name, module and kind are equal. Processes with the same name are compared as one group, because
/// their IDs differ.</para>
/// <para>Immutable and thread-safe.</para>
/// <example>
/// <code>
/// using FileStream file = File.OpenRead("before.pb.gz");
/// var difference = new CpuProfileDifference(CpuProfile.ReadPprof(file), profile);
/// Console.WriteLine(difference);
/// </code>
/// </example>
/// </remarks>
public sealed partial class CpuProfileDifference
{
    /// <summary>Creates the difference of two profiles.</summary>
    /// <param name="before">The profile before the change.</param>
    /// <param name="after">The profile after the change.</param>
    /// <exception cref="ArgumentNullException">A profile is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentException">The profiles show different things, such as CPU time and allocated bytes: their
    /// <see cref="CpuProfile.SampleType"/> differs, or one has a time and the other another unit.</exception>
    public CpuProfileDifference(CpuProfile before, CpuProfile after)
    {
        ArgumentNullException.ThrowIfNull(before);
        ArgumentNullException.ThrowIfNull(after);
        if (before.SampleType != after.SampleType || UnitOf(before) != UnitOf(after))
        {
            throw new ArgumentException(
                $"The profiles cannot be compared, because they show {ProfileText.Type(before)} and {ProfileText.Type(after)}.",
                nameof(after));
        }

        (Before, After) = (before, after);
        Roots = (WithoutProcessIds(before), WithoutProcessIds(after));
    }

    /// <summary>The profile before the change.</summary>
    public CpuProfile Before { get; }

    /// <summary>The profile after the change.</summary>
    public CpuProfile After { get; }

    internal SampleCounts SampleCounts => new(Before.SampleCount, After.SampleCount);

    internal SampleSizes SampleSizes => new(Before.Size?.Effective, After.Size?.Effective);

    /// <summary>Whether the changes have confidence intervals.</summary>
    internal bool HasIntervals => SampleSizes is { Before: not null, After: not null };

    /// <summary>The trees to compare.</summary>
    internal (CpuProfileNode Before, CpuProfileNode After) Roots { get; }

    /// <summary>Returns all functions of both profiles, ordered by the size of the change of their own share, whether it increased or
    /// decreased. Computed on each call, in time proportional to the number of nodes.</summary>
    /// <returns>The functions.</returns>
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
    internal IReadOnlyList<string> Notes =>
    [
        .. Before.Notes.Select(note => $"Before: {note}"), .. After.Notes.Select(note => $"After: {note}"),
        .. Before.IncludesKernel == After.IncludesKernel
            ? Array.Empty<string>()
            : ["Only one of the profiles has samples of kernel code, so the shares cannot be compared."],
        .. HasIntervals ? Array.Empty<string>() : [NoIntervals],
    ];

    private const string NoIntervals = "The changes have no confidence interval, because the number of samples is unknown.";

    /// <summary>Returns the unit of the shares: samples are comparable with times, because each represents the same time.</summary>
    private static string UnitOf(CpuProfile profile) =>
        profile.SampleUnit == CpuProfile.SamplesUnit ? CpuProfile.TimeUnit : profile.SampleUnit;

    private static CpuProfileNode WithoutProcessIds(CpuProfile profile)
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
