namespace Picollo.Profiling;

/// <summary>The values of one function before and after a change.</summary>
/// <remarks>Shares are fractions of the total of their profile, from 0 to 1, so profiles of different durations can be compared. A share of
/// a profile without samples is 0.</remarks>
public sealed record CpuProfileMethodDifference
{
    internal CpuProfileMethodDifference(
        CpuProfileFrame frame, SampleCounts own, SampleCounts total, SampleCounts all, SampleSizes sizes)
    {
        (Frame, Own, Total, All) = (frame, own, total, all);
        Change = ShareChange.Compute(own, all, sizes);
    }

    /// <summary>The function.</summary>
    public CpuProfileFrame Frame { get; }

    /// <summary>The value of the function itself before the change, in the
    /// <see cref="CpuProfile.SampleUnit"/> of <see cref="CpuProfileDifference.Before"/>.</summary>
    public long OwnValueBefore => Own.Before;

    /// <summary>The value of the function itself after the change, in the
    /// <see cref="CpuProfile.SampleUnit"/> of <see cref="CpuProfileDifference.After"/>.</summary>
    public long OwnValueAfter => Own.After;

    /// <summary>The value of the function and its callees before the change. A recursion counts once.</summary>
    public long ValueBefore => Total.Before;

    /// <summary>The value of the function and its callees after the change. A recursion counts once.</summary>
    public long ValueAfter => Total.After;

    /// <summary><see cref="OwnValueBefore"/> as a share of the total, from 0 to 1.</summary>
    public double OwnShareBefore => Own.PercentBefore(All) / 100;

    /// <summary><see cref="OwnValueAfter"/> as a share of the total, from 0 to 1.</summary>
    public double OwnShareAfter => Own.PercentAfter(All) / 100;

    /// <summary><see cref="ValueBefore"/> as a share of the total, from 0 to 1.</summary>
    public double ShareBefore => Total.PercentBefore(All) / 100;

    /// <summary><see cref="ValueAfter"/> as a share of the total, from 0 to 1.</summary>
    public double ShareAfter => Total.PercentAfter(All) / 100;

    /// <summary>The change of the own share: <see cref="OwnShareAfter"/> − <see cref="OwnShareBefore"/>, from −1 to 1.</summary>
    public double OwnShareChange => Change.Points / 100;

    /// <summary>The lower bound of the 95 % confidence interval of <see cref="OwnShareChange"/>; <see langword="null"/> if it is
    /// unknown.</summary>
    /// <remarks>
    /// <para>The interval for the difference of two binomial shares <c>x₁/n₁</c> and <c>x₂/n₂</c> is
    /// <c>p₂ − p₁ ± 1.96 √(p₁(1 − p₁)/(n₁ + 2) + p₂(1 − p₂)/(n₂ + 2))</c> with <c>pᵢ = (xᵢ + 1)/(nᵢ + 2)</c>:
    /// A. Agresti and B. Caffo, "Simple and effective confidence intervals for proportions and differences of proportions result from
    /// adding two successes and two failures", The American Statistician 54 (2000), pages 280 to 288. It also holds for few samples of a
    /// function, and for none. It is −1 to 1 if one of the profiles has no samples.</para>
    /// <para>It is unknown if the number of samples of a profile is unknown. In a profile of another tool that has times or bytes instead
    /// of samples, the number of samples is that of the sample type <c>samples/count</c>. Without this type, it is the number of entries
    /// if the tool wrote one for each sample. If the samples have different sizes, <c>nᵢ</c> is the number of samples of equal size that
    /// have the same sampling error.</para>
    /// <para>The interval covers the randomness of sampling, not the differences between runs of a program. Of 100 functions that have not
    /// changed, about 5 are outside their interval.</para>
    /// </remarks>
    public double? OwnShareChangeLower => Change.LowerPoints / 100;

    /// <summary>The upper bound of the 95 % confidence interval of <see cref="OwnShareChange"/>; <see langword="null"/> if it is
    /// unknown.</summary>
    /// <inheritdoc cref="OwnShareChangeLower" path="/remarks"/>
    public double? OwnShareChangeUpper => Change.UpperPoints / 100;

    /// <summary>Whether the change may be random, because its interval contains 0 or is unknown.</summary>
    public bool MayBeRandom => Change.MayBeRandom;

    internal ShareChange Change { get; }

    internal SampleCounts Own { get; }

    internal SampleCounts Total { get; }

    private SampleCounts All { get; }
}
