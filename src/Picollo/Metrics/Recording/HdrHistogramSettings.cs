namespace Picollo.Metrics;

/// <summary>What the factories gather, checked as far as one value alone can be.</summary>
internal sealed record HdrHistogramSettings
{
    public static HdrHistogramSettings Default { get; } = new();

    public double RelativeError { get; private init; } = 0.001;

    public ulong MinTrackableValue { get; init; }

    public ulong MaxTrackableValue { get; init; } = ulong.MaxValue;

    public TimeProvider TimeProvider { get; private init; } = TimeProvider.System;

    public HdrLayout Layout => new(RelativeError);

    public HdrHistogramSettings WithRelativeError(double relativeError) =>
        relativeError is >= HdrLayout.MinRelativeError and <= HdrLayout.MaxRelativeError
            ? this with { RelativeError = relativeError }
            : throw new ArgumentOutOfRangeException(
                nameof(relativeError), relativeError, "The relative error must be from 0.000001 to 0.1.");

    /// <summary>The defaults with the layout of a histogram.</summary>
    public static HdrHistogramSettings Of(ReadOnlyHdrHistogram histogram) => Default.WithLayoutOf(histogram);

    /// <summary>These with the layout of a histogram. One that is only shown may be coarser than any that counts.</summary>
    public HdrHistogramSettings WithLayoutOf(ReadOnlyHdrHistogram histogram)
    {
        ArgumentNullException.ThrowIfNull(histogram);
        return this with
        {
            RelativeError = Math.Min(histogram.RelativeError, HdrLayout.MaxRelativeError),
            MinTrackableValue = histogram.MinTrackableValue,
            MaxTrackableValue = histogram.MaxTrackableValue,
        };
    }

    public HdrHistogramSettings WithTimeProvider(TimeProvider timeProvider) =>
        this with { TimeProvider = timeProvider ?? throw new ArgumentNullException(nameof(timeProvider)) };

    /// <summary>The relative error that so many significant decimal digits stand for.</summary>
    public static double RelativeErrorOf(int significantDigits)
    {
        const int MaxDigits = 5;
        return significantDigits is >= 1 and <= MaxDigits
            ? 0.5 / Math.Pow(10, significantDigits)
            : throw new ArgumentOutOfRangeException(
                nameof(significantDigits), significantDigits, $"Significant digits must be from 1 to {MaxDigits}.");
    }

    /// <summary>Checks what depends on several settings; the range may be set in either order before.</summary>
    public HdrHistogramSettings Validated() => MinTrackableValue < MaxTrackableValue
        ? this
        : throw new ArgumentException(
            $"The range is empty: MinTrackableValue ({MinTrackableValue}) must be below MaxTrackableValue ({MaxTrackableValue}).");
}
