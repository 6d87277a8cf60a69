using System.Collections.Frozen;

namespace Picollo.Export;

/// <summary>
/// Writes histograms, counters and gauges for Prometheus. The buckets of several processes can be added, and the sum equals one histogram
/// of all their values.
/// </summary>
/// <remarks>
/// <para><b>Formats.</b> <see cref="SelectFormat"/> selects the format that a client requests. In text, histograms are classic histograms
/// with fixed bounds. In protobuf, they are native histograms, and also have the classic bounds for clients that do not read native
/// histograms.</para>
/// <para>
/// <b>Classic bounds.</b> The values of <c>le</c> are the last values of the buckets of a histogram with the writer's relative error, from
/// the description's <see cref="HdrHistogramDescription.LowestBound"/> to its <see cref="HdrHistogramDescription.HighestBound"/>, within
/// the range of the histogram. A histogram that is coarser uses its own buckets. The bounds depend on nothing else: empty buckets are
/// written, too, and processes that create a histogram in the same way export the same bounds. Each <c>le</c> counts exactly the values
/// recorded at or below it, including those below the histogram's range. Values above the range are counted only in <c>+Inf</c>. The
/// default error of 0.125 gives four buckets per octave. A histogram with the bounds of <see cref="HdrHistogramDescription.Nanoseconds"/>,
/// 1 µs to 69 s, has 108 lines.
/// </para>
/// <para>
/// <b>Precision of classic histograms.</b> <c>histogram_quantile</c> finds the bucket that contains the exact quantile and interpolates
/// between its bounds. The result differs from the exact quantile by at most the width of the bucket, which is twice the relative error
/// times the bucket's lower bound. <c>_sum</c> is computed from the midpoints of the histogram's own buckets. A value out of range counts
/// as the limit of the range.
/// </para>
/// <para><b>Precision of native histograms.</b> A bucket of the histogram is counted as a whole in the exponential bucket that contains its
/// midpoint. With the schema s, the ratio of an exponential bucket's bounds is 2^(2^−s): 2.2 % with the default of 5, 1.1 % with 6, 4.4 %
/// with 4. The exact quantile and the result of <c>histogram_quantile</c> are in the same bucket, within half the width of a bucket of the
/// histogram, so they differ by at most the ratio minus 1, plus the histogram's relative error. A schema with narrower buckets than those
/// of the histogram does not increase the precision. Zeros and values below the histogram's range are in the zero bucket. Its threshold is
/// the largest value below the range, or 2^−128. Values above the range are in the exponential bucket that follows the last one of the
/// range.</para>
/// <para>
/// <b>Names.</b> A character that Prometheus does not allow in a name becomes an underscore, including the colon. The unit is appended to
/// the name unless the name already ends in it. Labels that Prometheus reserves (<c>le</c>, and all that start with two underscores) get
/// the prefix <c>exported_</c>. If several labels get the same name, their values are joined by semicolons. Labels with an empty value are
/// omitted. If several registrations become the same series, only the first is written. A histogram with the name of a line of another
/// one, such as <c>x_sum</c>, is not written either. The gauge <c>picollo_omitted_histograms</c> contains the omitted registrations and the
/// reason. The help text defaults to the name.
/// </para>
/// <para>Thread-safe. A writer caches the constant parts of its output for each registration while the registration exists, so reuse the
/// writer.</para>
/// <example>
/// <code>
/// var writer = new PrometheusWriter();
/// app.MapGet("/metrics", context =>
/// {
///     PrometheusFormat format = PrometheusWriter.SelectFormat(context.Request.Headers.Accept);
///     context.Response.ContentType = PrometheusWriter.GetContentType(format);
///     writer.WriteHistograms(context.Response.BodyWriter, format, registry);
///     PrometheusWriter.WriteEnd(context.Response.BodyWriter, format);
///     return Task.CompletedTask;
/// });
/// </code>
/// </example>
/// </remarks>
public sealed class PrometheusWriter
{
    private readonly PrometheusSelection _selection;
    private readonly NativeHistogramEncoder _native;

    /// <summary>Creates a writer.</summary>
    /// <param name="relativeError">The resolution of classic buckets: half the width of a bucket relative to its values, 0.000001 to 0.5.
    /// It is rounded down to 0.5 divided by a power of two, which is the number of buckets per octave. The default of 0.125 gives
    /// four.</param>
    /// <param name="schema">The resolution of native buckets: the ratio of a bucket's bounds is 2^(2^−schema). −4 (a factor of
    /// 65,536) to 8 (0.27 %); the default is 5 (2.2 %).</param>
    /// <exception cref="ArgumentOutOfRangeException">An argument is outside its range or NaN.</exception>
    public PrometheusWriter(double relativeError = 0.125, int schema = 5)
    {
        if (relativeError is not (>= 0.000_001 and <= 0.5))
        {
            throw new ArgumentOutOfRangeException(nameof(relativeError), relativeError, "The relative error must be from 0.000001 to 0.5.");
        }

        ArgumentOutOfRangeException.ThrowIfLessThan(schema, ExponentialBounds.MinSchema);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(schema, ExponentialBounds.MaxSchema);
        _selection = new PrometheusSelection(relativeError);
        _native = new NativeHistogramEncoder(schema);
    }

    /// <summary>Selects the format that a client prefers.</summary>
    /// <param name="accept">The header <c>Accept</c> of the request; <see langword="null"/> for none.</param>
    /// <returns>The format with the highest quality in the header, or the first of several; <see cref="PrometheusFormat.Text"/> if the
    /// header names none.</returns>
    public static PrometheusFormat SelectFormat(string? accept) => AcceptHeader.SelectFormat(accept);

    /// <summary>Returns the media type of a format, for the header <c>Content-Type</c>.</summary>
    /// <param name="format">The format.</param>
    /// <returns>The media type with its parameters.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The value is not defined in the enumeration.</exception>
    public static string GetContentType(PrometheusFormat format) => AcceptHeader.GetContentType(format);

    /// <summary>Writes all histograms of a registry.</summary>
    /// <param name="output">The destination, such as a <c>PipeWriter</c>. It is not flushed.</param>
    /// <param name="format">The format.</param>
    /// <param name="registry">The registry.</param>
    /// <inheritdoc cref="WriteHistograms(IBufferWriter{byte}, PrometheusFormat, IReadOnlyList{HdrHistogramRegistration})"/>
    public void WriteHistograms(IBufferWriter<byte> output, PrometheusFormat format, HdrHistogramRegistry registry)
    {
        ArgumentNullException.ThrowIfNull(registry);
        WriteHistograms(output, format, registry.Registrations);
    }

    /// <summary>Writes histograms in the order of their exported names and labels. Disposed histograms are left out.</summary>
    /// <param name="output">The destination, such as a <c>PipeWriter</c>. It is not flushed.</param>
    /// <param name="format">The format.</param>
    /// <param name="registrations">The histograms. Pass the same objects in each call, so that their rendered parts can be reused. If
    /// several become the same series, the first is written.</param>
    /// <remarks>Call it once for each exposition: names are compared, and omitted histograms are counted, only within a call. Reads
    /// each histogram once, as a whole. Allocates a few bytes per registration, and nothing for recorded values.</remarks>
    /// <exception cref="ArgumentNullException">An argument is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The value is not defined in the enumeration.</exception>
    public void WriteHistograms(
        IBufferWriter<byte> output, PrometheusFormat format, IReadOnlyList<HdrHistogramRegistration> registrations) =>
        WriteHistograms(output, format, registrations, FrozenSet<string>.Empty);

    /// <summary>Writes histograms, except for those with a name that the exposition already contains.</summary>
    internal void WriteHistograms(
        IBufferWriter<byte> output,
        PrometheusFormat format,
        IReadOnlyList<HdrHistogramRegistration> registrations,
        IReadOnlySet<string> taken)
    {
        ArgumentNullException.ThrowIfNull(output);
        ArgumentNullException.ThrowIfNull(registrations);
        List<(string Histogram, string Reason)> omitted = [];
        IEnumerable<PrometheusSelected> selected = _selection.Select(registrations, taken, omitted);
        if (Check(format) == PrometheusFormat.Protobuf)
        {
            PrometheusProtobuf.Write(output, selected, _native);
        }
        else
        {
            PrometheusText.Write(output, selected, isOpenMetrics: format == PrometheusFormat.OpenMetrics);
        }

        if (omitted.Count > 0)
        {
            WriteGauge(output, format, PrometheusSelection.Omitted, "Histograms that are not exported, by reason.", omitted.CountBy(
                histogram => histogram).Select(count => SampleOf(count.Key, count.Value)));
        }
    }

    /// <summary>Ends an exposition, after its last histogram, counter or gauge. OpenMetrics requires this; in other formats, nothing is
    /// written.</summary>
    /// <param name="output">The destination, such as a <c>PipeWriter</c>. It is not flushed.</param>
    /// <param name="format">The format.</param>
    /// <remarks>Thread-safe.</remarks>
    /// <exception cref="ArgumentNullException"><paramref name="output"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The value is not defined in the enumeration.</exception>
    public static void WriteEnd(IBufferWriter<byte> output, PrometheusFormat format)
    {
        ArgumentNullException.ThrowIfNull(output);
        if (Check(format) == PrometheusFormat.OpenMetrics)
        {
            output.Write("# EOF\n"u8);
        }
    }

    private static PrometheusSample SampleOf((string Histogram, string Reason) omitted, int count) =>
        new(count, [new("histogram", omitted.Histogram), new("reason", omitted.Reason)]);

    /// <summary>Writes a counter, which has a value for each set of labels. The values never decrease until the process restarts.</summary>
    /// <param name="output">The destination, such as a <c>PipeWriter</c>. It is not flushed.</param>
    /// <param name="format">The format.</param>
    /// <param name="name">The name. The suffix <c>_total</c> is added unless the name already has it. OpenMetrics requires that no other
    /// metric has the name without or with this suffix, including histograms.</param>
    /// <param name="help">The description of the counted events.</param>
    /// <param name="samples">The series, with values of 0 or more. Each set of labels must be unique.</param>
    /// <param name="startTime">The time at which all values were 0, such as the start of the process for events that the process counts;
    /// <see langword="null"/> if it is not known. It must not change unless the values start at 0 again. Only protobuf contains it.</param>
    /// <remarks>Names and labels are converted like those of histograms. Thread-safe.</remarks>
    /// <exception cref="ArgumentException"><paramref name="name"/> is empty.</exception>
    /// <exception cref="ArgumentNullException">An argument is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The value is not defined in the enumeration.</exception>
    public static void WriteCounter(
        IBufferWriter<byte> output,
        PrometheusFormat format,
        string name,
        string help,
        IEnumerable<PrometheusSample> samples,
        DateTimeOffset? startTime = null) =>
        WriteFamily(output, format, name, help, isCounter: true, samples, startTime);

    /// <summary>Writes a gauge, which has a value for each set of labels. The values can increase and decrease.</summary>
    /// <param name="output">The destination, such as a <c>PipeWriter</c>. It is not flushed.</param>
    /// <param name="format">The format.</param>
    /// <param name="name">The name, with its unit. No other metric may have it.</param>
    /// <param name="help">The description of the measured quantity.</param>
    /// <param name="samples">The series. Each set of labels must be unique.</param>
    /// <inheritdoc cref="WriteCounter" path="/remarks"/>
    /// <inheritdoc cref="WriteCounter" path="/exception"/>
    public static void WriteGauge(
        IBufferWriter<byte> output,
        PrometheusFormat format,
        string name,
        string help,
        IEnumerable<PrometheusSample> samples) =>
        WriteFamily(output, format, name, help, isCounter: false, samples, startTime: null);

    private static void WriteFamily(
        IBufferWriter<byte> output,
        PrometheusFormat format,
        string name,
        string help,
        bool isCounter,
        IEnumerable<PrometheusSample> samples,
        DateTimeOffset? startTime)
    {
        ArgumentNullException.ThrowIfNull(output);
        ArgumentException.ThrowIfNullOrEmpty(name);
        ArgumentNullException.ThrowIfNull(help);
        ArgumentNullException.ThrowIfNull(samples);
        string exported = PrometheusNames.NameOf(name, isCounter ? "total" : "");
        if (Check(format) == PrometheusFormat.Protobuf)
        {
            PrometheusProtobuf.WriteSamples(output, exported, help, isCounter, samples, startTime);
        }
        else
        {
            PrometheusText.WriteSamples(output, exported, help, isCounter, isOpenMetrics: format == PrometheusFormat.OpenMetrics, samples);
        }
    }

    private static PrometheusFormat Check(PrometheusFormat format) => format is >= PrometheusFormat.Text and <= PrometheusFormat.Protobuf
        ? format
        : throw new ArgumentOutOfRangeException(nameof(format), format, "The format must be a value of PrometheusFormat.");
}
