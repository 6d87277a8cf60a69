namespace Picollo.Diagnostics;

/// <summary>Options of <see cref="MeterHistograms"/>.</summary>
/// <remarks>Copied when they are used: a later change has no effect on what was started before. Do not change them on several
/// threads.</remarks>
public sealed class MeterHistogramsOptions
{
    private const int MostSeries = 100_000;

    /// <summary>The names of the meters, in any case. In a name, <c>*</c> matches any characters and <c>?</c> one character. Empty by
    /// default, which matches no meter.</summary>
    public IList<string> MeterNames { get; } = [];

    /// <summary>Maximum number of series (distinct sets of tags) per instrument: 1 to 100,000, 1,000 by default. Further sets share one
    /// series with the label <c>otel.metric.overflow="true"</c>. A series takes about 6 KB, and 2 KB more
    /// for each further thread that records into it.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public int MaxSeries
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 1, nameof(MaxSeries));
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, MostSeries, nameof(MaxSeries));
            field = value;
        }
    } = 1000;

    /// <summary>Whether an instrument that a name matches is left out; null for none.</summary>
    internal Func<System.Diagnostics.Metrics.Instrument, bool>? IsExcluded { get; set; }

    /// <summary>The scales that were set, by the name of the instrument.</summary>
    internal Dictionary<string, double> Scales { get; } = new(StringComparer.OrdinalIgnoreCase);

    /// <summary>Adds meters by name.</summary>
    /// <param name="names">The names, in any case, with the wildcards <c>*</c> and <c>?</c>, as in OpenTelemetry's
    /// <c>AddMeter</c>.</param>
    /// <returns>These options.</returns>
    /// <exception cref="ArgumentException">A name is <see langword="null"/>, empty or white space.</exception>
    public MeterHistogramsOptions AddMeter(params ReadOnlySpan<string> names)
    {
        foreach (string name in names)
        {
            ArgumentException.ThrowIfNullOrWhiteSpace(name, nameof(names));
        }

        foreach (string name in names)
        {
            MeterNames.Add(name);
        }

        return this;
    }

    /// <summary>Sets the number of steps into which one unit of an instrument is divided.</summary>
    /// <remarks>
    /// Histograms count whole numbers: a value is multiplied by the scale and rounded. Code that shows the values divides them by it again.
    /// Times are recorded in nanoseconds, and sizes in bytes, without a call. All other units, and instruments without a unit, have the
    /// scale 1 if the instrument measures integers, and 1,000,000 if it measures fractions.
    /// <example>
    /// <code>
    /// options.AddMeter("Shop").SetScale("shop.price", 100); // cents of a price in euros
    /// </code>
    /// </example>
    /// </remarks>
    /// <param name="instrumentName">The name of the instrument, in any case.</param>
    /// <param name="scale">The steps in a unit of the instrument: 10⁻³⁰ to 10³⁰.</param>
    /// <returns>These options.</returns>
    /// <exception cref="ArgumentException">The name is <see langword="null"/> or empty.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The scale is outside its range or NaN.</exception>
    public MeterHistogramsOptions SetScale(string instrumentName, double scale)
    {
        ArgumentException.ThrowIfNullOrEmpty(instrumentName);
        if (scale is not (>= 1e-30 and <= 1e30))
        {
            throw new ArgumentOutOfRangeException(nameof(scale), scale, "The scale must be from 1E-30 to 1E+30.");
        }

        Scales[instrumentName] = scale;
        return this;
    }

    /// <summary>What a reader of the options keeps.</summary>
    internal MeterHistogramsOptions Copy()
    {
        MeterHistogramsOptions copy = new() { MaxSeries = MaxSeries, IsExcluded = IsExcluded };
        copy.AddMeter([.. MeterNames]);
        foreach ((string instrument, double scale) in Scales)
        {
            copy.Scales.Add(instrument, scale);
        }

        return copy;
    }
}
