namespace Picollo.Diagnostics;

/// <summary>The options of <see cref="MeterHistograms"/>.</summary>
/// <remarks>The options are copied when recording starts; later changes do not affect the recording. Not thread-safe while they are
/// changed.</remarks>
public sealed class MeterHistogramsOptions
{
    private const int MaxSeriesLimit = 100_000;

    /// <summary>The names of the meters, which are not case-sensitive. <c>*</c> matches any characters and <c>?</c> one character. Empty by
    /// default, which matches no meter.</summary>
    public IList<string> MeterNames { get; } = [];

    /// <summary>The maximum number of series (distinct sets of tags) per instrument: 1 to 100,000; 1,000 by default. Further sets share one
    /// series with the label <c>otel.metric.overflow="true"</c>. A series takes about 6 KB, and 2 KB more for each further thread that
    /// records into it.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public int MaxSeries
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 1, nameof(MaxSeries));
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, MaxSeriesLimit, nameof(MaxSeries));
            field = value;
        }
    } = 1000;

    /// <summary>The number of steps into which one unit of an instrument is divided, 10⁻³⁰ to 10³⁰, by the name of the instrument, which is
    /// not case-sensitive.</summary>
    /// <remarks>
    /// Histograms store integers: a value is multiplied by the scale and rounded, and divided by the scale for display. Times are recorded
    /// in nanoseconds and sizes in bytes by default. All other units, and instruments without a unit, have the scale 1 if the instrument
    /// measures integers, and 1,000,000 if it measures fractions.
    /// <example>
    /// <code>
    /// options.AddMeter("Shop").Scales["shop.price"] = 100; // cents of a price in euros
    /// </code>
    /// </example>
    /// </remarks>
    public IDictionary<string, double> Scales { get; } = new Dictionary<string, double>(StringComparer.OrdinalIgnoreCase);

    /// <summary>Returns whether to ignore a matching instrument; null to ignore none.</summary>
    internal Func<System.Diagnostics.Metrics.Instrument, bool>? IsExcluded { get; set; }

    /// <summary>Adds meters by name.</summary>
    /// <param name="names">The names, which are not case-sensitive, with the wildcards <c>*</c> and <c>?</c>, as in OpenTelemetry's
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

    /// <summary>Returns a copy of valid options.</summary>
    /// <exception cref="ArgumentException">The name of a meter is null, empty or white space, or a scale is outside its range or
    /// NaN.</exception>
    internal MeterHistogramsOptions Copy()
    {
        if (MeterNames.Any(string.IsNullOrWhiteSpace))
        {
            throw new ArgumentException("No name may be null, empty or white space.", nameof(MeterNames));
        }

        MeterHistogramsOptions copy = new() { MaxSeries = MaxSeries, IsExcluded = IsExcluded };
        copy.AddMeter([.. MeterNames]);
        foreach ((string instrument, double scale) in Scales)
        {
            copy.Scales[instrument] = scale is >= 1e-30 and <= 1e30
                ? scale
                : throw new ArgumentOutOfRangeException(nameof(Scales), scale, $"The scale of {instrument} must be from 1E-30 to 1E+30.");
        }

        return copy;
    }
}
