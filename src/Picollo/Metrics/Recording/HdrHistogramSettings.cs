using System.Numerics;

namespace Picollo.Metrics;

/// <summary>What the factories gather, checked as far as one value alone can be.</summary>
internal sealed record HdrHistogramSettings
{
    public static HdrHistogramSettings Default { get; } = new();

    /// <summary>May be coarser than the factories allow, for one who only reads.</summary>
    public double RelativeError { get; init; } = 0.001;

    /// <summary>The base-2 logarithm of the lowest discernible value.</summary>
    public int UnitScale { get; init; }

    public ulong MinTrackableValue { get; init; }

    public ulong MaxTrackableValue { get; init; } = ulong.MaxValue;

    public TimeProvider TimeProvider { get; private init; } = TimeProvider.System;

    public HdrLayout Layout => new(RelativeError, UnitScale);

    public HdrHistogramSettings WithRelativeError(double value) =>
        value is >= HdrLayout.MinRelativeError and <= HdrLayout.MaxRelativeError
            ? this with { RelativeError = value }
            : throw new ArgumentOutOfRangeException(nameof(value), value, "The relative error must be from 0.000001 to 0.1.");

    public HdrHistogramSettings WithLowestDiscernibleValue(ulong value)
    {
        ArgumentOutOfRangeException.ThrowIfZero(value);
        return this with { UnitScale = BitOperations.Log2(value) };
    }

    /// <summary>The defaults with the layout of a histogram.</summary>
    public static HdrHistogramSettings Of(ReadOnlyHdrHistogram histogram) => Default.WithLayoutOf(histogram);

    /// <summary>These with the layout of a histogram. One that is only shown may be coarser than any that counts.</summary>
    public HdrHistogramSettings WithLayoutOf(ReadOnlyHdrHistogram histogram)
    {
        ArgumentNullException.ThrowIfNull(histogram);
        return this with
        {
            RelativeError = Math.Min(histogram.RelativeError, HdrLayout.MaxRelativeError),
            UnitScale = histogram.Layout.UnitScale,
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

    /// <summary>Checks what depends on several settings; they may be set in any order before.</summary>
    public HdrHistogramSettings Validated()
    {
        if (MinTrackableValue >= MaxTrackableValue)
        {
            throw new ArgumentException(
                $"The range is empty: MinTrackableValue ({MinTrackableValue}) must be below MaxTrackableValue ({MaxTrackableValue}).");
        }

        int blockScale = new HdrLayout(RelativeError).BlockScale;
        return UnitScale + blockScale <= HdrLayout.MaxUnitAndBlockScale
            ? this
            : throw new ArgumentException(
                $"LowestDiscernibleValue ({1UL << UnitScale}) times BlockSize ({1 << blockScale}) must be at most 2^61.");
    }
}
