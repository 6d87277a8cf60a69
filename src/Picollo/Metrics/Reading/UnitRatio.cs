namespace Picollo.Metrics;

/// <summary>What values are divided by where they are printed for people.</summary>
internal static class UnitRatio
{
    /// <summary>Nanoseconds as milliseconds, the family's default for logs.</summary>
    public const double NanosecondsPerMillisecond = 1_000_000;

    /// <summary>Of units: none is farther away, and beyond some 10^290 a value divided by a ratio has no place among the doubles.</summary>
    public static void CheckWithinUnits(double valueUnitRatio)
    {
        if (valueUnitRatio is not (>= 1e-30 and <= 1e30))
        {
            throw new ArgumentOutOfRangeException(nameof(valueUnitRatio), valueUnitRatio, "The unit ratio must be from 1E-30 to 1E+30.");
        }
    }

    public static void Check(double valueUnitRatio)
    {
        if (!(valueUnitRatio > 0 && double.IsFinite(valueUnitRatio)))
        {
            throw new ArgumentOutOfRangeException(nameof(valueUnitRatio), valueUnitRatio, "The unit ratio must be above 0 and finite.");
        }
    }
}
