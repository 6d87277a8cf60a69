using System.Buffers;
using System.Diagnostics.CodeAnalysis;

namespace Picollo.Export;

/// <summary>
/// The binary formats of the HdrHistogram family (Java, C, Go, Rust, and tools such as wrk2): writes V2, reads V0, V1 and V2, each plain or
/// compressed.
/// </summary>
/// <remarks>
/// <para>A histogram of 1 to 5 significant digits comes back bucket for bucket: the buckets are the same. One of another precision is
/// written with the next finer number of digits, the counts of each bucket in one of the two finer ones around its midpoint: they stay
/// within its own <see cref="ReadOnlyHdrHistogram.RelativeError"/>, and at most half a bucket of the finer ones is added. Which of the two
/// is chosen so that the sum of all values stays: it changes by less than half a finer bucket's width times the largest count. It comes
/// back with the relative error of those digits, finer than it was recorded: the default 0.001 as that of 3 digits, 0.0005. Nothing in the
/// format can tell; choose <c>WithSignificantDigits</c> for what shall come back as it was. Merged, such histograms have the counts of the
/// buckets that were recorded. Finer than 5 digits there is none: such a histogram (block sizes of 262,144 and 524,288) is written with 5,
/// a relative error of 0.000004.</para>
/// <para>The unit (<see cref="ReadOnlyHdrHistogram.LowestDiscernibleValue"/>) is the family's lowest discernible value, rounded down to the
/// power of two that counts.</para>
/// <para>The formats hold values and a number of values up to 2⁶³−1 (of what others wrote, a number up to 2⁶⁴−1 is read) and no counts of
/// values out of range: <see cref="ReadOnlyHdrHistogram.OverflowCount"/> stays behind, and so does a <see
/// cref="ReadOnlyHdrHistogram.MinTrackableValue"/>. A range that reaches beyond 2⁶³−1 is written up to the largest value, because readers
/// allocate all of it.</para>
/// <para>In text, such as a log, the family writes the compressed form as base64: <see cref="Convert.ToBase64String(byte[])"/>.</para>
/// <para>Thread-safe. Format: <c>AbstractHistogram.java</c> of HdrHistogram 2.1.</para>
/// </remarks>
public static class HdrHistogramEncoding
{
    /// <summary>Encodes a histogram as V2, not compressed: fast, and small where few buckets are used.</summary>
    /// <param name="histogram">Is read once.</param>
    /// <returns>40 bytes and about two for each bucket in use.</returns>
    /// <exception cref="ArgumentNullException">No histogram.</exception>
    /// <exception cref="ArgumentException">A value or the number of values is above 2⁶³−1.</exception>
    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    public static byte[] Encode(ReadOnlyHdrHistogram histogram)
    {
        using HdrHistogramEncoder encoder = new();
        encoder.Encode(histogram, compress: false);
        return encoder.Written.ToArray();
    }

    /// <summary>Encodes a histogram as V2, compressed with level 3 of zlib, as logs have it.</summary>
    /// <inheritdoc cref="Encode(ReadOnlyHdrHistogram)"/>
    public static byte[] EncodeCompressed(ReadOnlyHdrHistogram histogram)
    {
        using HdrHistogramEncoder encoder = new();
        encoder.Encode(histogram, compress: true);
        return encoder.Written.ToArray();
    }

    /// <summary><see cref="Encode(ReadOnlyHdrHistogram)"/> into a writer; of its own it allocates a small object.</summary>
    /// <param name="histogram">Is read once.</param>
    /// <param name="output">Gets all of it or, where an exception is thrown, nothing.</param>
    /// <inheritdoc cref="Encode(ReadOnlyHdrHistogram)"/>
    public static void Encode(ReadOnlyHdrHistogram histogram, IBufferWriter<byte> output) => Encode(histogram, output, compress: false);

    /// <summary><see cref="EncodeCompressed(ReadOnlyHdrHistogram)"/> into a writer; of its own it allocates what zlib takes.</summary>
    /// <inheritdoc cref="Encode(ReadOnlyHdrHistogram, IBufferWriter{byte})"/>
    public static void EncodeCompressed(ReadOnlyHdrHistogram histogram, IBufferWriter<byte> output) =>
        Encode(histogram, output, compress: true);

    /// <summary>Decodes a histogram of any of the formats.</summary>
    /// <param name="encoded">One histogram. What follows it is not looked at.</param>
    /// <returns>A new histogram with the digits, the unit and the range of the data; of no digits, which Java allows, with one, the counts
    /// of each of its wide buckets half below and half above its midpoint. It takes 8 bytes a bucket, 50 MB at the most, whatever the data
    /// is; while it is decoded twice that, where values beyond its own highest trackable one are counted.</returns>
    /// <remarks>What the family writes for values that are scaled from doubles (a ratio) comes as the integers they were scaled
    /// to.</remarks>
    /// <exception cref="FormatException">The data is none, is damaged or cut off, or holds doubles; the message names the byte.</exception>
    public static PlainHdrHistogram<ulong> Decode(ReadOnlySpan<byte> encoded) => HdrHistogramDecoder.Decode(encoded);

    /// <summary>Decodes a histogram of any of the formats, for data that may be none.</summary>
    /// <param name="encoded">One histogram. What follows it is not looked at.</param>
    /// <param name="histogram">A new histogram as <see cref="Decode"/> returns it; null if the data cannot be decoded.</param>
    /// <param name="reason">What is wrong, and where: the message of <see cref="Decode"/>'s exception; null if it was decoded.</param>
    /// <returns>Whether it was decoded.</returns>
    /// <remarks>Data that cannot be decoded costs as much as the exception.</remarks>
    public static bool TryDecode(
        ReadOnlySpan<byte> encoded,
        [NotNullWhen(true)] out PlainHdrHistogram<ulong>? histogram,
        [NotNullWhen(false)] out string? reason)
    {
        try
        {
            (histogram, reason) = (Decode(encoded), null);
            return true;
        }
        catch (HdrHistogramFormatException e)
        {
            (histogram, reason) = (null, e.Message);
            return false;
        }
    }

    private static void Encode(ReadOnlyHdrHistogram histogram, IBufferWriter<byte> output, bool compress)
    {
        ArgumentNullException.ThrowIfNull(output);
        using HdrHistogramEncoder encoder = new();
        encoder.Encode(histogram, compress);
        output.Write(encoder.Written);
    }
}
