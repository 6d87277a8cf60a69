namespace Picollo.Cpu;

public readonly partial record struct CpuUsage : ISpanFormattable
{
    // Three numbers of at most 24 characters (-2⁶³ ns and three decimals), and the text between them.
    private const int MaxTextLength = 128;

    private const double NanosecondsPerMicrosecond = 1e3;
    private const double NanosecondsPerMillisecond = 1e6;
    private const double NanosecondsPerSecond = 1e9;

    /// <summary>Formats the total, then user and kernel time, in the unit that suits the total: <c>12.345 ms (user 12.001 ms, kernel 0.344
    /// ms)</c>.</summary>
    /// <returns>Culture-invariant text.</returns>
    public override string ToString() => ToString(null, null);

    /// <summary>Formats the total, then user and kernel time, in a given unit: <c>$"{usage:ms}"</c>.</summary>
    /// <param name="format"><c>s</c>, <c>ms</c>, <c>us</c> or <c>ns</c>; <see langword="null"/>, empty or <c>G</c> for the unit that suits
    /// the total.</param>
    /// <param name="formatProvider">Not used: the text does not depend on the culture.</param>
    /// <returns>The total, then user and kernel time, each rounded to three decimals (nanoseconds are whole).</returns>
    /// <exception cref="FormatException"><paramref name="format"/> is not one of the supported formats.</exception>
    public string ToString(string? format, IFormatProvider? formatProvider = null)
    {
        Span<char> text = stackalloc char[MaxTextLength];
        return TryFormat(text, out int length, format, formatProvider)
            ? new string(text[..length])
            : throw new InvalidOperationException("The formatted CPU usage is longer than expected.");
    }

    /// <summary>Writes the text of <see cref="ToString(string?, IFormatProvider?)"/> without allocating.</summary>
    /// <param name="destination">The buffer for the text.</param>
    /// <param name="charsWritten">The number of characters written; 0 if they do not fit.</param>
    /// <param name="format">The unit; see <see cref="ToString(string?, IFormatProvider?)"/>.</param>
    /// <param name="provider">Not used.</param>
    /// <returns><see langword="true"/> if the text was written; <see langword="false"/> if <paramref name="destination"/> is too
    /// short.</returns>
    /// <exception cref="FormatException"><paramref name="format"/> is not one of the supported formats.</exception>
    public bool TryFormat(Span<char> destination, out int charsWritten, ReadOnlySpan<char> format, IFormatProvider? provider)
    {
        string unit = UnitOf(format);
        charsWritten = 0;
        bool fits = Append(destination, ref charsWritten, TotalNanoseconds, unit)
            && Append(destination, ref charsWritten, " (user ")
            && Append(destination, ref charsWritten, UserNanoseconds, unit)
            && Append(destination, ref charsWritten, ", kernel ")
            && Append(destination, ref charsWritten, KernelNanoseconds, unit)
            && Append(destination, ref charsWritten, ")");
        charsWritten = fits ? charsWritten : 0;
        return fits;
    }

    // Not an interpolated string, which boxes each number until its generic code has been optimized.
    private static bool Append(Span<char> destination, ref int length, long nanoseconds, string unit)
    {
        double scale = unit switch { "µs" => NanosecondsPerMicrosecond, "ms" => NanosecondsPerMillisecond, _ => NanosecondsPerSecond };
        bool fits = unit == "ns"
            ? nanoseconds.TryFormat(destination[length..], out int written, default, CultureInfo.InvariantCulture)
            : (nanoseconds / scale).TryFormat(destination[length..], out written, "0.000", CultureInfo.InvariantCulture);
        length += written;
        return fits && Append(destination, ref length, " ") && Append(destination, ref length, unit);
    }

    private static bool Append(Span<char> destination, ref int length, string text)
    {
        bool fits = text.TryCopyTo(destination[length..]);
        length += fits ? text.Length : 0;
        return fits;
    }

    private string UnitOf(ReadOnlySpan<char> format) => format switch
    {
        "" or "G" or "g" => Math.Abs((double)TotalNanoseconds) switch
        {
            >= NanosecondsPerSecond => "s",
            >= NanosecondsPerMillisecond => "ms",
            >= NanosecondsPerMicrosecond => "µs",
            _ => "ns",
        },
        "s" => "s",
        "ms" => "ms",
        "us" => "µs",
        "ns" => "ns",
        _ => throw new FormatException($"The format must be \"s\", \"ms\", \"us\", \"ns\" or \"G\", not \"{format}\"."),
    };
}
