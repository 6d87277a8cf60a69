using System.Buffers;

namespace Picollo.Export;

/// <summary>
/// Writes histograms in Prometheus' text format 0.0.4, as classic histograms whose bounds are fixed: what several processes
/// export can be added bucket by bucket, and is then exactly what one histogram of all their values would give.
/// </summary>
/// <remarks>
/// <para>
/// <b>Bounds.</b> The values that <c>le</c> names are the last values of buckets: of those that a histogram of the writer's
/// relative error would have, from the description's <see cref="HdrHistogramDescription.LowestBound"/> to its
/// <see cref="HdrHistogramDescription.HighestBound"/>, as far as the histogram's own range goes; a histogram that is coarser has
/// its own buckets. They depend on nothing else: an empty bucket is written like any other, and processes that make a histogram
/// alike export the same bounds. Each <c>le</c> counts exactly the values recorded at or below it, those below the histogram's range
/// included; values above the range are in <c>+Inf</c> alone.
/// </para>
/// <para>
/// <b>Size.</b> The default of 0.125 is four buckets an octave: 108 lines for a histogram with the bounds of
/// <see cref="HdrHistogramDescription.Nanoseconds"/>, 1 µs to 69 s.
/// </para>
/// <para>
/// <b>Precision.</b> <c>histogram_quantile</c> finds the bucket that holds the exact quantile and interpolates between its bounds, so that
/// it is off by at most the bucket's width, twice the relative error of the bucket's lower bound. <c>_sum</c> is taken over the
/// midpoints of the histogram's own buckets; a value out of range counts there as the end of the range that it is beyond.
/// </para>
/// <para>
/// <b>Names.</b> What Prometheus does not allow in a name becomes an underscore, the colon too; the unit is the name's suffix
/// unless it ends in it. Labels that Prometheus uses itself (<c>le</c>, and all that begin with two underscores) get
/// <c>exported_</c> before them; those that become one have their values joined by semicolons; an empty value is no label. A
/// registration that becomes the same series as another is left out, with a comment. Help defaults to the name.
/// </para>
/// <para>Thread-safe. A writer remembers the constant parts of what it writes for each registration, as long as that lives: keep the
/// writer.</para>
/// <example>
/// <code>
/// var writer = new PrometheusTextWriter();
/// app.MapGet("/metrics", context =>
/// {
///     context.Response.ContentType = PrometheusTextWriter.ContentType;
///     writer.Write(context.Response.BodyWriter, registry);
///     return Task.CompletedTask;
/// });
/// </code>
/// </example>
/// </remarks>
public sealed class PrometheusTextWriter
{
    /// <summary>The media type of what is written.</summary>
    public static string ContentType => "text/plain; version=0.0.4; charset=utf-8";

    private readonly PrometheusSelection _selection;

    /// <summary>A writer.</summary>
    /// <param name="relativeError">How coarse the bounds are: a bucket's half width as a share of its values, 0.000001 to 0.5. Rounded
    /// down to 0.5 over a power of two, the number of buckets an octave; 0.125 is four.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="relativeError"/> is outside its range or NaN.</exception>
    public PrometheusTextWriter(double relativeError = 0.125)
    {
        if (relativeError is not (>= HdrLayout.MinRelativeError and <= HdrLayout.CoarsestRelativeError))
        {
            throw new ArgumentOutOfRangeException(nameof(relativeError), relativeError, "The relative error must be from 0.000001 to 0.5.");
        }

        _selection = new PrometheusSelection(relativeError);
    }

    /// <summary>Writes all histograms of a registry.</summary>
    /// <param name="output">Where to; a <c>PipeWriter</c> is one. It is not flushed.</param>
    /// <param name="registry">The registry.</param>
    /// <remarks>Reads each histogram once, as a whole. Allocates a few bytes a registration, and nothing for what was recorded.</remarks>
    /// <exception cref="ArgumentNullException">An argument is <see langword="null"/>.</exception>
    public void Write(IBufferWriter<byte> output, HdrHistogramRegistry registry)
    {
        ArgumentNullException.ThrowIfNull(registry);
        Write(output, registry.Registrations);
    }

    /// <summary>Writes histograms, in the order of their exported names and labels. Those that are disposed are left out.</summary>
    /// <param name="output">Where to; a <c>PipeWriter</c> is one. It is not flushed.</param>
    /// <param name="registrations">The histograms; the same objects at each call, so that what was rendered before can be used
    /// again. Of several with the same series the first is written.</param>
    /// <remarks>Reads each histogram once, as a whole. Allocates a few bytes a registration, and nothing for what was recorded.</remarks>
    /// <exception cref="ArgumentNullException">An argument is <see langword="null"/>.</exception>
    public void Write(IBufferWriter<byte> output, IReadOnlyList<HdrHistogramRegistration> registrations)
    {
        ArgumentNullException.ThrowIfNull(output);
        ArgumentNullException.ThrowIfNull(registrations);
        Utf8Lines lines = new(output);
        foreach (PrometheusSelected selected in _selection.Select(registrations))
        {
            using CountsCopy copy = selected.Copy;
            if (selected.LeftOut is { } reason)
            {
                selected.Series.WriteLeftOut(ref lines, reason);
                continue;
            }

            if (selected.IsFirstOfName)
            {
                selected.Series.WriteHeader(ref lines);
            }

            selected.Series.Write(ref lines, copy);
        }

        lines.Flush();
    }

    /// <summary>Writes a counter: a number for each set of labels that only grows, until the process starts again.</summary>
    /// <param name="output">Where to; a <c>PipeWriter</c> is one. It is not flushed.</param>
    /// <param name="name">The name; the suffix <c>_total</c> is added unless it has it.</param>
    /// <param name="help">What is counted.</param>
    /// <param name="samples">The labels and the value of each series, 0 or more. No two may have the same labels.</param>
    /// <remarks>Names and labels become what Prometheus allows, as those of histograms do. Thread-safe.</remarks>
    /// <exception cref="ArgumentException"><paramref name="name"/> is empty.</exception>
    /// <exception cref="ArgumentNullException">An argument is <see langword="null"/>.</exception>
    public static void WriteCounter(
        IBufferWriter<byte> output,
        string name,
        string help,
        IEnumerable<(IReadOnlyList<KeyValuePair<string, string>> Labels, double Value)> samples)
    {
        ArgumentNullException.ThrowIfNull(output);
        ArgumentException.ThrowIfNullOrEmpty(name);
        ArgumentNullException.ThrowIfNull(help);
        ArgumentNullException.ThrowIfNull(samples);
        WriteSamples(output, PrometheusNames.NameOf(name, "total"), "counter", help, samples);
    }

    /// <summary>Writes a gauge: a number for each set of labels that may rise and fall.</summary>
    /// <param name="output">Where to; a <c>PipeWriter</c> is one. It is not flushed.</param>
    /// <param name="name">The name, with its unit.</param>
    /// <param name="help">What it says.</param>
    /// <param name="samples">The labels and the value of each series. No two may have the same labels.</param>
    /// <inheritdoc cref="WriteCounter" path="/remarks"/>
    /// <inheritdoc cref="WriteCounter" path="/exception"/>
    public static void WriteGauge(
        IBufferWriter<byte> output,
        string name,
        string help,
        IEnumerable<(IReadOnlyList<KeyValuePair<string, string>> Labels, double Value)> samples)
    {
        ArgumentNullException.ThrowIfNull(output);
        ArgumentException.ThrowIfNullOrEmpty(name);
        ArgumentNullException.ThrowIfNull(help);
        ArgumentNullException.ThrowIfNull(samples);
        WriteSamples(output, PrometheusNames.NameOf(name, ""), "gauge", help, samples);
    }

    private static void WriteSamples(
        IBufferWriter<byte> output,
        string exported,
        string type,
        string help,
        IEnumerable<(IReadOnlyList<KeyValuePair<string, string>> Labels, double Value)> samples)
    {
        Utf8Lines lines = new(output);
        lines.WriteText($"# HELP {exported} {PrometheusNames.EscapeHelp(help)}\n# TYPE {exported} {type}\n");
        foreach ((IReadOnlyList<KeyValuePair<string, string>> labels, double value) in samples)
        {
            string text = PrometheusNames.LabelsOf(labels);
            lines.WriteText(text.Length == 0 ? $"{exported} " : $"{exported}{{{text}}} ");
            lines.Reserve(Utf8Lines.NumberLength);
            lines.Write(value);
            lines.WriteText("\n");
        }

        lines.Flush();
    }
}
