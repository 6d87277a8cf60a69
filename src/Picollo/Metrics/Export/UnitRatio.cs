namespace Picollo.Metrics.Export;

/// <summary>What values are divided by where they are printed for people.</summary>
internal static class UnitRatio
{
    /// <summary>Nanoseconds as milliseconds, the family's default for logs.</summary>
    public const double NanosecondsPerMillisecond = 1_000_000;

    public static void Check(double valueUnitRatio)
    {
        if (!(valueUnitRatio > 0 && double.IsFinite(valueUnitRatio)))
        {
            throw new ArgumentOutOfRangeException(nameof(valueUnitRatio), valueUnitRatio, "The unit ratio must be above 0 and finite.");
        }
    }
}
