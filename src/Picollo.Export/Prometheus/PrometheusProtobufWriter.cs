using System.Buffers;
using System.Collections.Concurrent;

namespace Picollo.Export;

/// <summary>
/// Writes histograms in Prometheus' protobuf format, as native histograms: base-2 exponential buckets that processes with different
/// histograms share, in one series instead of a hundred.
/// </summary>
/// <remarks>
/// <para><b>Use.</b> A Prometheus server that scrapes native histograms (version 2: <c>--enable-feature=native-histograms</c>) asks for
/// this format in the header <c>Accept</c> (<see cref="IsAccepted"/>). For all other clients, write the text of
/// <see cref="PrometheusTextWriter"/>. Classic buckets are in the message as well, for clients that read protobuf but no native
/// histograms; a server that reads native histograms ignores them, unless it is configured to keep both.</para>
/// <para><b>Precision.</b> A bucket of the histogram is counted, as a whole, in the exponential bucket that holds its midpoint. With the
/// schema s, an exponential bucket's bounds have the ratio 2^(2^−s): 2.2 % with the default of 5, 1.1 % with 6, 4.4 % with 4. The exact
/// quantile and that of <c>histogram_quantile</c> lie in the same bucket, give or take half the width of a bucket of the histogram: they
/// differ by at most the ratio less 1, plus the histogram's relative error. A schema whose buckets are narrower than the histogram's own
/// gains nothing.</para>
/// <para><b>Out of range.</b> Zeros, and values below the histogram's range, are in the zero bucket. Its threshold is the largest value
/// below the range, or 2^−128. Values above the range are in the exponential bucket that follows the last one of the range.</para>
/// <para><b>Names</b> are those of <see cref="PrometheusTextWriter"/>; so is what is left out, here without a comment.</para>
/// <para>Thread-safe. Keep the writer: it remembers what does not change.</para>
/// <para>Format: https://github.com/prometheus/client_model/blob/v0.3.0/io/prometheus/client/metrics.proto, each message after its length;
/// https://prometheus.io/docs/specs/native_histograms/.</para>
/// <example>
/// <code>
/// PrometheusProtobufWriter native = new();
/// PrometheusTextWriter text = new();
/// app.MapGet("/metrics", context =>
/// {
///     bool isNative = PrometheusProtobufWriter.IsAccepted(context.Request.Headers.Accept);
///     context.Response.ContentType = isNative ? PrometheusProtobufWriter.ContentType : PrometheusTextWriter.ContentType;
///     if (isNative)
///     {
///         native.Write(context.Response.BodyWriter, registry);
///     }
///     else
///     {
///         text.Write(context.Response.BodyWriter, registry);
///     }
///
///     return Task.CompletedTask;
/// });
/// </code>
/// </example>
/// </remarks>
public sealed class PrometheusProtobufWriter
{
    private const string MediaType = "application/vnd.google.protobuf";
    private const string MessageType = "io.prometheus.client.MetricFamily";

    // Field numbers of metrics.proto, by message.
    private const int FamilyName = 1, FamilyHelp = 2, FamilyType = 3, FamilyMetric = 4;
    private const int MetricLabel = 1, MetricHistogram = 7;
    private const int LabelName = 1, LabelValue = 2;
    private const int SampleCount = 1, SampleSum = 2, ClassicBucket = 3, Schema = 5, ZeroThreshold = 6, ZeroCount = 7;
    private const int PositiveSpan = 12, PositiveDelta = 13;
    private const int CumulativeCount = 1, UpperBound = 2;
    private const int SpanOffset = 1, SpanLength = 2;
    private const ulong HistogramType = 4;

    // 2^-128, as in Prometheus' own libraries. Prometheus 2.42 takes a histogram without values for a native one by its threshold alone.
    private const double LeastZeroThreshold = 2.938735877055719e-39;

    // The classic buckets, which are those of the text.
    private const double ClassicError = 0.125;

    private readonly int _schema;
    private readonly PrometheusSelection _selection = new(ClassicError);
    private readonly ConcurrentDictionary<(HdrLayout, uint FirstIndex, int Length, double Ratio), ExponentialBounds> _bounds = new();

    /// <summary>A writer.</summary>
    /// <param name="schema">The resolution: an exponential bucket's bounds have the ratio 2^(2^−schema). −4 (a factor of 65,536) to 8
    /// (0.27 %); 5 (2.2 %) by default.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="schema"/> is outside its range.</exception>
    public PrometheusProtobufWriter(int schema = 5)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(schema, ExponentialBounds.MinSchema);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(schema, ExponentialBounds.MaxSchema);
        _schema = schema;
    }

    /// <summary>The media type of what is written.</summary>
    public static string ContentType => $"{MediaType}; proto={MessageType}; encoding=delimited";

    /// <summary>Whether a client accepts the format, as a Prometheus server does that scrapes native histograms.</summary>
    /// <param name="accept">The header <c>Accept</c> of the request; <see langword="null"/> for none.</param>
    /// <returns>Whether the header names the media type with this message and encoding, and not with <c>q=0</c>.</returns>
    /// <remarks>A client that accepts it is sent it, whatever it prefers: Prometheus prefers it if it reads native histograms, and
    /// otherwise does not name it.</remarks>
    public static bool IsAccepted(string? accept)
    {
        foreach (string range in (accept ?? "").Split(','))
        {
            string[] parts = range.Split(';', StringSplitOptions.TrimEntries);
            if (Is(parts[0], MediaType)
                && parts.Any(part => Is(part, $"proto={MessageType}"))
                && parts.Any(part => Is(part, "encoding=delimited"))
                && !parts.Any(part => part.StartsWith("q=0", StringComparison.OrdinalIgnoreCase) && part[3..].Trim('.', '0').Length == 0))
            {
                return true;
            }
        }

        return false;

        static bool Is(string a, string b) => string.Equals(a, b, StringComparison.OrdinalIgnoreCase);
    }

    /// <summary>Writes all histograms of a registry.</summary>
    /// <param name="output">Where to; a <c>PipeWriter</c> is one. It is not flushed.</param>
    /// <param name="registry">The registry.</param>
    /// <exception cref="ArgumentNullException">An argument is <see langword="null"/>.</exception>
    public void Write(IBufferWriter<byte> output, HdrHistogramRegistry registry)
    {
        ArgumentNullException.ThrowIfNull(registry);
        Write(output, registry.Registrations);
    }

    /// <summary>Writes histograms, in the order of their exported names and labels. Those that are disposed are left out.</summary>
    /// <param name="output">Where to; a <c>PipeWriter</c> is one. It is not flushed.</param>
    /// <param name="registrations">The histograms; the same objects at each call, so that what does not change is used again. Of several
    /// with the same series, the first is written.</param>
    /// <exception cref="ArgumentNullException">An argument is <see langword="null"/>.</exception>
    public void Write(IBufferWriter<byte> output, IReadOnlyList<HdrHistogramRegistration> registrations)
    {
        ArgumentNullException.ThrowIfNull(output);
        ArgumentNullException.ThrowIfNull(registrations);
        using ProtobufBuffer buffer = new();
        List<(int Bucket, ulong Count)> used = [];
        int family = 0;
        foreach (PrometheusSelected selected in _selection.Select(registrations))
        {
            using CountsCopy copy = selected.Copy;
            if (selected.LeftOut is not null)
            {
                continue;
            }

            if (selected.IsFirstOfName)
            {
                EndFamily();
                family = BeginFamily(buffer, selected.Series);
            }

            WriteMetric(buffer, selected.Series, copy, used);
        }

        EndFamily();

        void EndFamily()
        {
            if (family > 0)
            {
                buffer.End(family);
                output.Write(buffer.Written);
                buffer.Clear();
            }
        }
    }

    private static int BeginFamily(ProtobufBuffer buffer, PrometheusSeries series)
    {
        HdrHistogramRegistration registration = series.Registration;
        int family = buffer.BeginMessage();
        buffer.WriteText(FamilyName, series.Name);
        buffer.WriteText(FamilyHelp, registration.Description.Help is { Length: > 0 } help ? help : registration.Name);
        buffer.WriteVarint(FamilyType, HistogramType);
        return family;
    }

    private void WriteMetric(ProtobufBuffer buffer, PrometheusSeries series, CountsCopy copy, List<(int Bucket, ulong Count)> used)
    {
        int metric = buffer.Begin(FamilyMetric);
        foreach ((string name, string value) in PrometheusNames.PairsOf(series.Registration.Labels))
        {
            int label = buffer.Begin(MetricLabel);
            buffer.WriteText(LabelName, name);
            buffer.WriteText(LabelValue, value);
            buffer.End(label);
        }

        int histogram = buffer.Begin(MetricHistogram);
        ulong count = WriteClassic(buffer, series.Bounds, copy);
        buffer.WriteVarint(SampleCount, count);
        buffer.WriteDouble(SampleSum, series.SumOf(copy));
        WriteNative(buffer, series, copy, used);
        buffer.End(histogram);
        buffer.End(metric);
    }

    /// <summary>Writes cumulative counts; the last, of +Inf, is the number of all values.</summary>
    /// <returns>That number.</returns>
    private static ulong WriteClassic(ProtobufBuffer buffer, PrometheusBounds bounds, CountsCopy copy)
    {
        ulong count = copy.Underflow;
        int from = 0;
        for (int i = 0; i < bounds.Count; i++)
        {
            int to = bounds.EndOf(i);
            count += copy.SumOfUsed(from, to);
            from = to;
            int bucket = buffer.Begin(ClassicBucket);
            buffer.WriteVarint(CumulativeCount, count);
            buffer.WriteDouble(UpperBound, bounds.ValueOf(i));
            buffer.End(bucket);
        }

        return count + copy.SumOfUsed(from, copy.Counts.Length) + copy.Overflow;
    }

    private void WriteNative(ProtobufBuffer buffer, PrometheusSeries series, CountsCopy copy, List<(int Bucket, ulong Count)> used)
    {
        HdrHistogram histogram = series.Registration.Histogram;
        double ratio = series.Registration.Description.Unit.Ratio;
        ExponentialBounds bounds = _bounds.GetOrAdd(
            (histogram.Layout, histogram.FirstIndex, histogram.Length, ratio), _ => new ExponentialBounds(histogram, ratio, _schema));
        buffer.WriteSigned(Schema, _schema);
        buffer.WriteDouble(ZeroThreshold, Math.Max(LeastZeroThreshold, (Math.Max(series.Bounds.RangeStart, 1) - 1) / ratio));
        buffer.WriteVarint(ZeroCount, copy.Underflow + copy.SumOfUsed(0, bounds.ZeroEnd));
        bounds.ReadUsed(copy, used);

        // A span, even of no buckets, is what makes the histogram a native one for later versions.
        int last = 0;
        for (int start = 0, end; start < used.Count || start == 0; start = end)
        {
            end = start;
            int first = used.Count == 0 ? 0 : used[start].Bucket;
            while (end < used.Count && used[end].Bucket == first + (end - start))
            {
                end++;
            }

            int span = buffer.Begin(PositiveSpan);
            buffer.WriteSigned(SpanOffset, first - last);
            buffer.WriteVarint(SpanLength, (ulong)(end - start));
            buffer.End(span);
            last = first + (end - start);
            if (used.Count == 0)
            {
                break;
            }
        }

        // Differences of counts, modulo 2⁶⁴ as the reader adds them.
        int deltas = buffer.Begin(PositiveDelta);
        ulong before = 0;
        foreach ((_, ulong count) in used)
        {
            buffer.WriteSigned((long)(count - before));
            before = count;
        }

        buffer.End(deltas);
    }
}
