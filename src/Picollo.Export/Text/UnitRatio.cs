namespace Picollo.Export.Text;

/// <summary>The divisor of values in human-readable text.</summary>
internal static class UnitRatio
{
    /// <summary>Shows nanoseconds as milliseconds, which is the default of other HdrHistogram libraries for logs.</summary>
    public const double NanosecondsPerMillisecond = 1_000_000;

    public static void Check(double valueUnitRatio)
    {
        if (!(valueUnitRatio > 0 && double.IsFinite(valueUnitRatio)))
        {
            throw new ArgumentOutOfRangeException(nameof(valueUnitRatio), valueUnitRatio, "The unit ratio must be above 0 and finite.");
        }
    }
}
