namespace Picollo.Metrics;

/// <summary>The settings that a factory collects. Each value is validated separately when it is set.</summary>
internal sealed record HdrHistogramSettings
{
    public static HdrHistogramSettings Default { get; } = new();

    public double RelativeError { get; init; } = 0.001;

    /// <summary>The base-2 logarithm of the lowest discernible value.</summary>
    public int UnitScale { get; init; }

    public ulong MinTrackableValue { get; init; }

    public ulong MaxTrackableValue { get; init; } = ulong.MaxValue;

    public TimeProvider TimeProvider { get; private init; } = TimeProvider.System;

    public HdrHistogramLayout Layout => new(RelativeError, 1UL << UnitScale);

    public HdrHistogramSettings WithRelativeError(double value) =>
        value is >= HdrHistogramLayout.MinRelativeError and <= HdrHistogramLayout.MaxRelativeError
            ? this with { RelativeError = value }
            : throw new ArgumentOutOfRangeException(nameof(value), value, "The relative error must be from 0.000001 to 0.1.");

    public HdrHistogramSettings WithLowestDiscernibleValue(ulong value)
    {
        ArgumentOutOfRangeException.ThrowIfZero(value);
        return this with { UnitScale = BitOperations.Log2(value) };
    }

    public static HdrHistogramSettings FromHistogram(ReadOnlyHdrHistogram histogram) => Default.WithLayoutOf(histogram);

    /// <summary>Returns these settings with the layout of a histogram.</summary>
    public HdrHistogramSettings WithLayoutOf(ReadOnlyHdrHistogram histogram)
    {
        ArgumentNullException.ThrowIfNull(histogram);
        return this with
        {
            RelativeError = histogram.RelativeError,
            UnitScale = histogram.Layout.UnitScale,
            MinTrackableValue = histogram.MinTrackableValue,
            MaxTrackableValue = histogram.MaxTrackableValue,
        };
    }

    public HdrHistogramSettings WithTimeProvider(TimeProvider timeProvider) =>
        this with { TimeProvider = timeProvider ?? throw new ArgumentNullException(nameof(timeProvider)) };

    public static double RelativeErrorOf(int significantDigits)
    {
        const int MaxDigits = 5;
        return significantDigits is >= 1 and <= MaxDigits
            ? 0.5 / Math.Pow(10, significantDigits)
            : throw new ArgumentOutOfRangeException(
                nameof(significantDigits), significantDigits, $"Significant digits must be from 1 to {MaxDigits}.");
    }

    /// <summary>Validates the settings that depend on each other, after they were set in any order.</summary>
    public HdrHistogramSettings Validated()
    {
        if (MinTrackableValue >= MaxTrackableValue)
        {
            throw new ArgumentException(
                $"The range is empty: MinTrackableValue ({MinTrackableValue}) must be below MaxTrackableValue ({MaxTrackableValue}).");
        }

        _ = Layout; // validates its arguments
        return this;
    }
}
