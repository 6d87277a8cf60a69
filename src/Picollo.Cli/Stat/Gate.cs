using Picollo.Diagnostics;

namespace Picollo.Cli.Stat;

/// <summary>Decides whether runs are slower than a baseline.</summary>
/// <param name="Change">Of the mean elapsed time.</param>
/// <param name="Limit">The largest permitted growth, as a share; null for any.</param>
internal sealed record Gate(Change Change, double? Limit)
{
    /// <summary>What is compared: <see cref="CommandQuantity.Name"/>.</summary>
    public const string Measure = "elapsedNanoseconds";

    public const int CrossedExitCode = 3;

    /// <summary>Whether the whole confidence interval is above the limit.</summary>
    public bool IsCrossed => Change.Low > Limit;

    /// <summary>A change that may be above the limit or not.</summary>
    private bool IsOpen => !IsCrossed && Change.High > Limit;

    public override string ToString()
    {
        string change = $"elapsed: {Percent(Change.Mean)}";
        if (double.IsFinite(Change.Low))
        {
            change += $" (95% confidence interval: {Percent(Change.Low)} to {Percent(Change.High)})";
        }

        if (Limit is not { } limit)
        {
            return change;
        }

        string text = Invariant($"{100 * limit:0.##}%");
        return IsCrossed ? $"{change}: above the limit of {text}"
            : IsOpen ? $"{change}: not above the limit of {text} for certain; more runs (-r) make the interval narrower"
            : $"{change}: within the limit of {text}";
    }

    private static string Percent(double share) => Invariant($"{100 * share:+0.0;-0.0;0.0}%");
}
