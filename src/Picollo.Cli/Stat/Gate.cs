using Picollo.Export.Text;

namespace Picollo.Cli.Stat;

/// <summary>Decides whether runs are slower than a baseline.</summary>
/// <param name="Change">The change of the mean elapsed time.</param>
/// <param name="Limit">The maximum permitted increase, as a share; null for no limit.</param>
internal sealed record Gate(Change Change, double? Limit)
{
    /// <summary>The <see cref="CommandQuantity.Name"/> of the compared quantity.</summary>
    public const string Measure = "elapsedNanoseconds";

    public const int CrossedExitCode = 3;

    /// <summary>Whether the whole confidence interval is above the limit.</summary>
    public bool IsCrossed => Change.Low > Limit;

    /// <summary>Whether the confidence interval contains the limit, so that the result is inconclusive.</summary>
    private bool IsInconclusive => !IsCrossed && Change.High > Limit;

    public override string ToString()
    {
        string change = $"elapsed: {Quantity.Change(Change.Mean)}";
        if (double.IsFinite(Change.Low))
        {
            change += $" (95 % confidence interval: {Quantity.Change(Change.Low)} to {Quantity.Change(Change.High)})";
        }

        if (Limit is not { } limit)
        {
            return change;
        }

        string text = Invariant($"{100 * limit:0.##} %");
        return IsCrossed ? $"{change}: above the limit of {text}"
            : IsInconclusive ? $"{change}: inconclusive: the limit of {text} is within the interval; use more runs (-r) to narrow it"
            : $"{change}: within the limit of {text}";
    }
}
