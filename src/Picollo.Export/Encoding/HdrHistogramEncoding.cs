using System.Diagnostics.CodeAnalysis;

namespace Picollo.Export;

/// <summary>
/// Encodes and decodes histograms in the binary formats of the HdrHistogram libraries (Java, C, Go, Rust, and tools such as wrk2). Writes
/// V2; reads V0, V1 and V2, each plain or compressed.
/// </summary>
/// <remarks>
/// <para>A histogram of 1 to 5 significant digits is decoded with the same buckets. A histogram of another precision is written with the
/// next finer number of digits. The count of each bucket goes to one of the two finer buckets around its midpoint, so values remain within
/// the <see cref="ReadOnlyHdrHistogram.RelativeError"/> of the histogram, and the added error is at most half a finer bucket. The choice
/// between the two preserves the sum of all values: it changes by less than half a finer bucket's width times the largest count. Such a
/// histogram is decoded with the relative error of those digits, which is finer than that of the original: the default of 0.001 becomes 3
/// digits, 0.0005. The format cannot store the original error. Use <c>WithSignificantDigits</c> for histograms that must be decoded
/// unchanged. Merging decoded histograms gives the counts of the original buckets. A histogram finer than 5 digits (block sizes of 262,144
/// and 524,288) is written with 5 digits, a relative error of 0.000004.</para>
/// <para>The unit (<see cref="ReadOnlyHdrHistogram.LowestDiscernibleValue"/>) is the lowest discernible value of those libraries, rounded
/// down to a power of two.</para>
/// <para>The formats hold values and a total count up to 2⁶³−1 (total counts up to 2⁶⁴−1 are read). They do not hold counts of values out
/// of range: <see cref="ReadOnlyHdrHistogram.OverflowCount"/> and <see cref="ReadOnlyHdrHistogram.MinTrackableValue"/> are not written. A
/// range that exceeds 2⁶³−1 is written up to the largest value, because readers allocate the whole range.</para>
/// <para>In text, such as a log, the compressed form is written as base64: <see cref="Convert.ToBase64String(byte[])"/>.</para>
/// <para>Thread-safe. Format: <c>AbstractHistogram.java</c> of HdrHistogram 2.1.</para>
/// </remarks>
public static class HdrHistogramEncoding
{
    /// <summary>Encodes a histogram as V2 without compression. This is fast, and small if few buckets are used.</summary>
    /// <param name="histogram">The histogram. It is read once.</param>
    /// <returns>The encoded histogram: 40 bytes, plus about two bytes for each bucket in use.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="histogram"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentException">A value or the number of values is above 2⁶³−1.</exception>
    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    public static byte[] Encode(ReadOnlyHdrHistogram histogram)
    {
        using HdrHistogramEncoder encoder = new();
        encoder.Encode(histogram, compress: false);
        return encoder.Written.ToArray();
    }

    /// <summary>Encodes a histogram as V2 and compresses it with zlib level 3, as in logs.</summary>
    /// <param name="histogram">The histogram. It is read once.</param>
    /// <returns>The encoded histogram.</returns>
    /// <inheritdoc cref="Encode(ReadOnlyHdrHistogram)" path="/exception"/>
    public static byte[] EncodeCompressed(ReadOnlyHdrHistogram histogram)
    {
        using HdrHistogramEncoder encoder = new();
        encoder.Encode(histogram, compress: true);
        return encoder.Written.ToArray();
    }

    /// <summary>Encodes a histogram as V2 without compression to a writer. Allocates two small objects.</summary>
    /// <param name="histogram">The histogram. It is read once.</param>
    /// <param name="output">The destination. It receives the whole encoding, or nothing if an exception is thrown.</param>
    /// <exception cref="ArgumentNullException">An argument is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentException">A value or the number of values is above 2⁶³−1.</exception>
    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    public static void Encode(ReadOnlyHdrHistogram histogram, IBufferWriter<byte> output) => Encode(histogram, output, compress: false);

    /// <summary>Encodes a histogram as V2, compressed with zlib, to a writer. Allocates the memory that zlib needs.</summary>
    /// <inheritdoc cref="Encode(ReadOnlyHdrHistogram, IBufferWriter{byte})"/>
    public static void EncodeCompressed(ReadOnlyHdrHistogram histogram, IBufferWriter<byte> output) =>
        Encode(histogram, output, compress: true);

    /// <summary>Decodes a histogram of any of the formats.</summary>
    /// <param name="encoded">The encoded histogram. Data after it is ignored.</param>
    /// <returns>A new histogram with the digits, the unit and the range of the data. Data of 0 digits, which Java allows, is decoded with 1
    /// digit: half the count of each bucket goes below its midpoint and half above. The histogram takes 8 bytes per bucket and at most 50
    /// MB, whatever the data is. Decoding takes twice that if the data counts values above its highest trackable value. Damaged data takes
    /// at most 3 MB, or 128 times its length if that is more.</returns>
    /// <remarks>If the values are scaled from doubles by a ratio, the result has the scaled integers.</remarks>
    /// <exception cref="FormatException">The data is not a histogram, is damaged or truncated, or holds doubles. The message includes the
    /// position.</exception>
    public static PlainHdrHistogram<ulong> Decode(ReadOnlySpan<byte> encoded) => HdrHistogramDecoder.Decode(encoded);

    /// <summary>Tries to decode a histogram of any of the formats.</summary>
    /// <param name="encoded">The encoded histogram. Data after it is ignored.</param>
    /// <param name="histogram">The new histogram, as <see cref="Decode"/> returns it; <see langword="null"/> if the data cannot be
    /// decoded.</param>
    /// <param name="reason">The error with its position, which is the exception message of <see cref="Decode"/>; <see langword="null"/> if
    /// the data was decoded.</param>
    /// <returns><see langword="true"/> if the data was decoded; otherwise, <see langword="false"/>.</returns>
    /// <remarks>For invalid data, this method costs as much as the exception of <see cref="Decode"/>.</remarks>
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
