using System.Buffers;

namespace Picollo.Export;

/// <summary>
/// Writes histograms, counters and gauges for Prometheus. The buckets of several processes can be added. The result is that of one
/// histogram of all their values.
/// </summary>
/// <remarks>
/// <para><b>Formats.</b> <see cref="FormatOf"/> chooses the format that a client asks for. In text, histograms are classic histograms with
/// fixed bounds. In protobuf they are native histograms, and have the classic bounds for clients that read protobuf but not native
/// histograms.</para>
/// <para>
/// <b>Classic bounds.</b> The values of <c>le</c> are the last values of the buckets of a histogram with the writer's relative error, from
/// the description's <see cref="HdrHistogramDescription.LowestBound"/> to its <see cref="HdrHistogramDescription.HighestBound"/>, as far as
/// the histogram's own range goes. A histogram that is coarser has its own buckets. They depend on nothing else: an empty bucket is written
/// like any other, and processes that create a histogram in the same way export the same bounds. Each <c>le</c> counts exactly the values
/// recorded at or below it, including those below the histogram's range. Values above the range are in <c>+Inf</c> alone. The default error
/// of 0.125 has four buckets per octave: 108 lines for a histogram with the bounds of <see cref="HdrHistogramDescription.Nanoseconds"/>,
/// 1 µs to 69 s.
/// </para>
/// <para>
/// <b>Precision of classic histograms.</b> <c>histogram_quantile</c> finds the bucket that holds the exact quantile and interpolates
/// between its bounds. The result differs from the exact quantile by at most the bucket's width, twice the relative error of the bucket's
/// lower bound. <c>_sum</c> is computed from the midpoints of the histogram's own buckets. A value out of range counts as the limit that it
/// is beyond.
/// </para>
/// <para><b>Precision of native histograms.</b> A bucket of the histogram is counted, as a whole, in the exponential bucket that holds its
/// midpoint. With the schema s, an exponential bucket's bounds have the ratio 2^(2^−s): 2.2 % with the default of 5, 1.1 % with 6, 4.4 %
/// with 4. The exact quantile and that of <c>histogram_quantile</c> lie in the same bucket, give or take half the width of a bucket of the
/// histogram: they differ by at most the ratio less 1, plus the histogram's relative error. A schema whose buckets are narrower than the
/// histogram's own gains nothing. Zeros, and values below the histogram's range, are in the zero bucket. Its threshold is the largest value
/// below the range, or 2^−128. Values above the range are in the exponential bucket that follows the last one of the range.</para>
/// <para>
/// <b>Names.</b> A character that Prometheus does not allow in a name becomes an underscore, including the colon. The unit is the name's
/// suffix unless it ends in it. Labels that Prometheus uses itself (<c>le</c>, and all that start with two underscores) get the prefix
/// <c>exported_</c>. The values of labels that get the same name are joined by semicolons. Labels with an empty value are omitted. A
/// registration that becomes the same series as another is left out; <see cref="PrometheusFormat.Text"/> has a comment instead. Help
/// defaults to the name.
/// </para>
/// <para>Thread-safe. A writer remembers the constant parts of what it writes for each registration, as long as the registration exists:
/// keep the writer.</para>
/// <example>
/// <code>
/// var writer = new PrometheusWriter();
/// app.MapGet("/metrics", context =>
/// {
///     PrometheusFormat format = PrometheusWriter.FormatOf(context.Request.Headers.Accept);
///     context.Response.ContentType = PrometheusWriter.ContentTypeOf(format);
///     writer.Write(context.Response.BodyWriter, format, registry);
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
    /// <param name="relativeError">The resolution of classic buckets: a bucket's half width as a share of its values, 0.000001 to 0.5.
    /// Rounded down to 0.5 over a power of two, the number of buckets per octave; 0.125, the default, is four.</param>
    /// <param name="schema">The resolution of native buckets: a bucket's bounds have the ratio 2^(2^−schema). −4 (a factor of 65,536) to 8
    /// (0.27 %); 5 (2.2 %) by default.</param>
    /// <exception cref="ArgumentOutOfRangeException">An argument is outside its range or NaN.</exception>
    public PrometheusWriter(double relativeError = 0.125, int schema = 5)
    {
        if (relativeError is not (>= HdrLayout.MinRelativeError and <= HdrLayout.CoarsestRelativeError))
        {
            throw new ArgumentOutOfRangeException(nameof(relativeError), relativeError, "The relative error must be from 0.000001 to 0.5.");
        }

        ArgumentOutOfRangeException.ThrowIfLessThan(schema, ExponentialBounds.MinSchema);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(schema, ExponentialBounds.MaxSchema);
        _selection = new PrometheusSelection(relativeError);
        _native = new NativeHistogramEncoder(schema);
    }

    /// <summary>Chooses the format that a client prefers.</summary>
    /// <param name="accept">The header <c>Accept</c> of the request; <see langword="null"/> for none.</param>
    /// <returns>The format with the highest quality in the header, or the first of several; <see cref="PrometheusFormat.Text"/> if the
    /// header names none.</returns>
    public static PrometheusFormat FormatOf(string? accept) => AcceptHeader.FormatOf(accept);

    /// <summary>Returns the media type of a format, for the header <c>Content-Type</c>.</summary>
    /// <param name="format">The format.</param>
    /// <returns>The media type with its parameters.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The format is not one of the enumeration.</exception>
    public static string ContentTypeOf(PrometheusFormat format) => AcceptHeader.ContentTypeOf(format);

    /// <summary>Writes all histograms of a registry, and ends the exposition.</summary>
    /// <param name="output">The destination, such as a <c>PipeWriter</c>. It is not flushed.</param>
    /// <param name="format">The format.</param>
    /// <param name="registry">The registry.</param>
    /// <inheritdoc cref="Write(IBufferWriter{byte}, PrometheusFormat, IReadOnlyList{HdrHistogramRegistration})"/>
    public void Write(IBufferWriter<byte> output, PrometheusFormat format, HdrHistogramRegistry registry)
    {
        ArgumentNullException.ThrowIfNull(registry);
        Write(output, format, registry.Registrations);
    }

    /// <summary>Writes histograms, in the order of their exported names and labels, and ends the exposition. Disposed histograms are left
    /// out.</summary>
    /// <param name="output">The destination, such as a <c>PipeWriter</c>. It is not flushed.</param>
    /// <param name="format">The format.</param>
    /// <param name="registrations">The histograms; the same objects at each call, so that what was rendered before can be used
    /// again. Of several with the same series, the first is written.</param>
    /// <remarks>Counters and gauges of the same exposition must be written before, because OpenMetrics ends with <c># EOF</c>. Reads each
    /// histogram once, as a whole. Allocates a few bytes per registration, and nothing for recorded values.</remarks>
    /// <exception cref="ArgumentNullException">An argument is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The format is not one of the enumeration.</exception>
    public void Write(IBufferWriter<byte> output, PrometheusFormat format, IReadOnlyList<HdrHistogramRegistration> registrations)
    {
        ArgumentNullException.ThrowIfNull(output);
        ArgumentNullException.ThrowIfNull(registrations);
        IEnumerable<PrometheusSelected> selected = _selection.Select(registrations);
        if (Check(format) == PrometheusFormat.Protobuf)
        {
            PrometheusProtobuf.Write(output, selected, _native);
        }
        else
        {
            PrometheusText.Write(output, selected, isOpenMetrics: format == PrometheusFormat.OpenMetrics);
        }
    }

    /// <summary>Writes a counter: a number for each set of labels that only grows, until the process restarts.</summary>
    /// <param name="output">The destination, such as a <c>PipeWriter</c>. It is not flushed.</param>
    /// <param name="format">The format.</param>
    /// <param name="name">The name; the suffix <c>_total</c> is added unless it has it.</param>
    /// <param name="help">What is counted.</param>
    /// <param name="samples">The labels and the value of each series, 0 or more. No two may have the same labels.</param>
    /// <remarks>Names and labels are converted like those of histograms. Thread-safe.</remarks>
    /// <exception cref="ArgumentException"><paramref name="name"/> is empty.</exception>
    /// <exception cref="ArgumentNullException">An argument is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The format is not one of the enumeration.</exception>
    public static void WriteCounter(
        IBufferWriter<byte> output,
        PrometheusFormat format,
        string name,
        string help,
        IEnumerable<(IReadOnlyList<KeyValuePair<string, string>> Labels, double Value)> samples) =>
        WriteFamily(output, format, name, help, isCounter: true, samples);

    /// <summary>Writes a gauge: a number for each set of labels that may rise and fall.</summary>
    /// <param name="output">The destination, such as a <c>PipeWriter</c>. It is not flushed.</param>
    /// <param name="format">The format.</param>
    /// <param name="name">The name, with its unit.</param>
    /// <param name="help">What is measured.</param>
    /// <param name="samples">The labels and the value of each series. No two may have the same labels.</param>
    /// <inheritdoc cref="WriteCounter" path="/remarks"/>
    /// <inheritdoc cref="WriteCounter" path="/exception"/>
    public static void WriteGauge(
        IBufferWriter<byte> output,
        PrometheusFormat format,
        string name,
        string help,
        IEnumerable<(IReadOnlyList<KeyValuePair<string, string>> Labels, double Value)> samples) =>
        WriteFamily(output, format, name, help, isCounter: false, samples);

    private static void WriteFamily(
        IBufferWriter<byte> output,
        PrometheusFormat format,
        string name,
        string help,
        bool isCounter,
        IEnumerable<(IReadOnlyList<KeyValuePair<string, string>> Labels, double Value)> samples)
    {
        ArgumentNullException.ThrowIfNull(output);
        ArgumentException.ThrowIfNullOrEmpty(name);
        ArgumentNullException.ThrowIfNull(help);
        ArgumentNullException.ThrowIfNull(samples);
        string exported = PrometheusNames.NameOf(name, isCounter ? "total" : "");
        if (Check(format) == PrometheusFormat.Protobuf)
        {
            PrometheusProtobuf.WriteSamples(output, exported, help, isCounter, samples);
        }
        else
        {
            PrometheusText.WriteSamples(output, exported, help, isCounter, isOpenMetrics: format == PrometheusFormat.OpenMetrics, samples);
        }
    }

    private static PrometheusFormat Check(PrometheusFormat format) => format is >= PrometheusFormat.Text and <= PrometheusFormat.Protobuf
        ? format
        : throw new ArgumentOutOfRangeException(nameof(format), format, "The format must be one of PrometheusFormat.");
}
