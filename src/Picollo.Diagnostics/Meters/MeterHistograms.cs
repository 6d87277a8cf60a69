using System.Diagnostics.Metrics;
using Picollo.Diagnostics.Meters;
using Picollo.Metrics;

namespace Picollo.Diagnostics;

/// <summary>Records the measurements of histogram instruments (<c>System.Diagnostics.Metrics</c>) into registered histograms, one for each
/// set of tags.</summary>
/// <remarks>
/// <para><b>Recorded instruments.</b> All instruments <c>Histogram&lt;T&gt;</c> of the meters that match
/// <see cref="MeterHistogramsOptions.MeterNames"/>, including those that are created later. Counters and gauges are not recorded, because
/// they have no percentiles. A series is registered at its first measurement. Its name is that of the instrument, and its labels are the
/// tags and those of the meter and the instrument. The series and its counts remain when the instrument is disposed, and an instrument with
/// the same names continues them.</para>
/// <para><b>Units.</b> Times (<c>s</c>, <c>ms</c>, <c>us</c>, <c>ns</c>, <c>min</c>, <c>h</c>, <c>d</c>) are recorded in nanoseconds and
/// shown in seconds. Sizes (<c>By</c> and its multiples) are recorded in bytes. For other units, see
/// <see cref="MeterHistogramsOptions.Scales"/>. Values are rounded to integers, which histograms store within 1 %.</para>
/// <para><b>Values that are not recorded.</b> Negative values, including −∞, are counted in
/// <see cref="NegativeMeasurementCount"/>, and NaN and +∞ in <see cref="NaNMeasurementCount"/>. Values of 2⁶³ nanoseconds, bytes or steps
/// or more are counted as out of range in the histogram of their tags (<see cref="ReadOnlyHdrHistogram.OverflowCount"/>).</para>
/// <para><b>Tags.</b> The order of tags does not matter. If a key is duplicated, its last value is used. Keys and values are truncated to
/// 256 characters. Labels are text, so 200 and "200" are the same series, and a tag whose value is <see langword="null"/> or empty is not a
/// label. For values that are not text, numbers or Boolean values, <c>ToString()</c> is called for each measurement. After
/// <see cref="MeterHistogramsOptions.MaxSeries"/> sets of tags, further ones share one series with the label
/// <c>otel.metric.overflow="true"</c>.</para>
/// <para><b>Names.</b> Instruments of the same name share series if their units and tags are the same. If their recorded units
/// differ (seconds and bytes, for example), the name of the second one is prefixed with its meter's name. An already registered histogram
/// with the same name, labels and unit is used if it is thread-local and 32-bit; otherwise, the name is also prefixed.</para>
/// <para>Thread-safe. A measurement takes no lock and allocates nothing, except for the first with new tags, a new order of tags, or a new
/// magnitude on a thread, and for the text of numbers in tags that are recorded in an overflow series. Recording never throws, even if a
/// tag's <c>ToString()</c> does.</para>
/// <example>
/// <code>
/// HdrHistogramRegistry registry = new();
/// using MeterHistograms meters = MeterHistograms.Start(registry, new MeterHistogramsOptions().AddMeter("System.Net.Http", "MyApp*"));
/// await client.GetAsync(address);
/// foreach (HdrHistogramRegistration series in registry.Registrations)
/// {
///     Console.WriteLine($"{series}: p99 {series.Histogram.GetPercentileValue(99) / series.Description.Unit.Ratio} s");
/// }
/// </code>
/// </example>
/// </remarks>
public sealed class MeterHistograms : IDisposable
{
    /// <summary>The switch that the runtime reads (and a trimmed application has fixed) before it publishes instruments.</summary>
    internal const string SwitchName = "System.Diagnostics.Metrics.Meter.IsSupported";

    // Bounds the memory if an application creates an unlimited number of instruments, for example one per user. The limit of series applies
    // to each instrument.
    internal const int MaxInstruments = 1000;

    private readonly Lock _gate = new();
    private readonly HdrHistogramRegistry _registry;
    private readonly MeterHistogramsOptions _options;
    private readonly MeterCounts _counts = new();
    private readonly MeterListener? _listener;

    // The key contains the properties that identify an instrument, so that an instrument that is created repeatedly has one entry. Guarded
    // by the gate.
    private readonly Dictionary<(string Meter, string Instrument, string Unit, Type Type, string Tags), InstrumentSeries> _instruments = [];
    private readonly HashSet<Instrument> _published = []; // the recorded instruments; guarded by the gate
    private int _refused;

    private MeterHistograms(HdrHistogramRegistry registry, MeterHistogramsOptions options, string? unavailableReason)
    {
        (_registry, _options, UnavailableReason) = (registry, options, unavailableReason);
        if (unavailableReason is not null)
        {
            return;
        }

        _listener = new MeterListener { InstrumentPublished = OnPublished, MeasurementsCompleted = OnCompleted };

        // These are instance methods, because a delegate to a static method must shift its arguments before each call.
        _listener.SetMeasurementEventCallback<double>(OnDouble);
        _listener.SetMeasurementEventCallback<float>(OnSingle);
        _listener.SetMeasurementEventCallback<decimal>(OnDecimal);
        _listener.SetMeasurementEventCallback<long>(OnInt64);
        _listener.SetMeasurementEventCallback<int>(OnInt32);
        _listener.SetMeasurementEventCallback<short>(OnInt16);
        _listener.SetMeasurementEventCallback<byte>(OnByte);
    }

    /// <summary>The reason why nothing is recorded: the application has disabled its meters. <see langword="null"/> if they are
    /// enabled.</summary>
    public string? UnavailableReason { get; }

    /// <summary>The number of series, excluding overflow series.</summary>
    public int SeriesCount => Volatile.Read(ref _counts.Series);

    /// <summary>The number of measurements that were not recorded because they were below 0.</summary>
    public long NegativeMeasurementCount => Volatile.Read(ref _counts.Negative);

    /// <summary>The number of measurements that were not recorded because they were NaN or +∞.</summary>
    public long NaNMeasurementCount => Volatile.Read(ref _counts.NaN);

    /// <summary>The number of measurements that were recorded in overflow series, because their instrument already had
    /// <see cref="MeterHistogramsOptions.MaxSeries"/> series.</summary>
    public long OverflowSeriesMeasurementCount => Volatile.Read(ref _counts.Overflow);

    /// <summary>The number of instruments that were ignored because 1,000 others were already recorded.</summary>
    public int RefusedInstrumentCount => Volatile.Read(ref _refused);

    /// <summary>Starts recording.</summary>
    /// <param name="registry">The registry in which the histograms are registered.</param>
    /// <param name="options">The options. If they have no meter name, nothing is recorded.</param>
    /// <returns>The recorder. Dispose it to stop. If the application has disabled its meters, nothing is recorded and
    /// <see cref="UnavailableReason"/> contains the reason.</returns>
    /// <exception cref="ArgumentNullException">An argument is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentException">A name in <see cref="MeterHistogramsOptions.MeterNames"/> is <see langword="null"/>, empty or
    /// white space.</exception>
    /// <exception cref="ArgumentOutOfRangeException">A scale in <see cref="MeterHistogramsOptions.Scales"/> is outside its range or
    /// NaN.</exception>
    public static MeterHistograms Start(HdrHistogramRegistry registry, MeterHistogramsOptions options)
    {
        ArgumentNullException.ThrowIfNull(registry);
        ArgumentNullException.ThrowIfNull(options);
        bool isDisabled = AppContext.TryGetSwitch(SwitchName, out bool isSupported) && !isSupported;
        MeterHistograms meters = new(registry, options.Copy(), isDisabled
            ? $"The application has disabled its meters: {SwitchName} is false in its runtimeconfig.json. Set the property "
              + "MetricsSupport to true in its project."
            : null);
        meters._listener?.Start();
        return meters;
    }

    /// <summary>Stops recording. The registered histograms and their counts remain. A concurrent measurement on another thread may still be
    /// recorded.</summary>
    public void Dispose() => _listener?.Dispose();

    /// <summary>Stops recording instruments that another component records from now on.</summary>
    internal void Exclude(Func<Instrument, bool> isExcluded)
    {
        Func<Instrument, bool>? before = _options.IsExcluded;
        _options.IsExcluded = before is null ? isExcluded : instrument => before(instrument) || isExcluded(instrument);
        Instrument[] excluded;
        lock (_gate)
        {
            excluded = [.. _published.Where(isExcluded)];
            _published.ExceptWith(excluded);
        }

        // The gate is not held, because the runtime calls OnCompleted.
        foreach (Instrument instrument in excluded)
        {
            _listener?.DisableMeasurementEvents(instrument);
        }
    }

    private void OnPublished(Instrument instrument, MeterListener listener)
    {
        if (instrument is not (Histogram<double> or Histogram<float> or Histogram<decimal> or Histogram<long> or Histogram<int>
                or Histogram<short> or Histogram<byte>)
            || !_options.MeterNames.Any(pattern => NamePattern.Matches(pattern, instrument.Meter.Name))
            || _options.IsExcluded?.Invoke(instrument) == true)
        {
            return;
        }

        double? scale = _options.Scales.TryGetValue(instrument.Name, out double given) ? given : null;
        InstrumentSeries created = new(instrument, MeterUnit.FromInstrument(instrument, scale), _registry, _counts, _options.MaxSeries);
        var identity = (instrument.Meter.Name, instrument.Name, instrument.Unit ?? "", instrument.GetType(), created.OwnLabels);
        InstrumentSeries? series;
        lock (_gate)
        {
            if (!_instruments.TryGetValue(identity, out series) && _instruments.Count < MaxInstruments)
            {
                _instruments.Add(identity, series = created);
            }

            if (series is not null)
            {
                _published.Add(instrument);
            }
        }

        if (series is null)
        {
            Interlocked.Increment(ref _refused);
            return;
        }

        listener.EnableMeasurementEvents(instrument, series);
        if (_options.IsExcluded?.Invoke(instrument) == true)
        {
            listener.DisableMeasurementEvents(instrument); // it was excluded in the meantime
        }
    }

    private void OnCompleted(Instrument instrument, object? state)
    {
        lock (_gate)
        {
            _published.Remove(instrument);
        }
    }

    // The state of an instrument is always the object that OnPublished passed.
    private static InstrumentSeries SeriesOf(object? state) => Unsafe.As<InstrumentSeries>(state)!;

    private void OnDouble(Instrument instrument, double value, ReadOnlySpan<KeyValuePair<string, object?>> tags, object? state) =>
        SeriesOf(state).Record(value, tags);

    private void OnSingle(Instrument instrument, float value, ReadOnlySpan<KeyValuePair<string, object?>> tags, object? state) =>
        SeriesOf(state).Record((double)value, tags);

    private void OnDecimal(Instrument instrument, decimal value, ReadOnlySpan<KeyValuePair<string, object?>> tags, object? state) =>
        SeriesOf(state).Record((double)value, tags);

    private void OnInt64(Instrument instrument, long value, ReadOnlySpan<KeyValuePair<string, object?>> tags, object? state) =>
        SeriesOf(state).Record(value, tags);

    private void OnInt32(Instrument instrument, int value, ReadOnlySpan<KeyValuePair<string, object?>> tags, object? state) =>
        SeriesOf(state).Record((long)value, tags);

    private void OnInt16(Instrument instrument, short value, ReadOnlySpan<KeyValuePair<string, object?>> tags, object? state) =>
        SeriesOf(state).Record((long)value, tags);

    private void OnByte(Instrument instrument, byte value, ReadOnlySpan<KeyValuePair<string, object?>> tags, object? state) =>
        SeriesOf(state).Record((long)value, tags);
}
