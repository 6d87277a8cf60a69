namespace Picollo.Cli.Hist;

/// <summary>What an input is.</summary>
internal enum InputKind
{
    /// <summary>Lines of numbers, or of separated values.</summary>
    Numbers,

    /// <summary>An interval log of the HdrHistogram family, .hlog.</summary>
    Log,

    /// <summary>A percentile distribution of that family, .hgrm.</summary>
    Percentiles,
}

/// <summary>Tells inputs apart by how they start.</summary>
internal static class InputKinds
{
    public static InputKind Of(ReadOnlySpan<byte> start)
    {
        start = (start.StartsWith("\uFEFF"u8) ? start[3..] : start).TrimStart(" \t\r\n"u8);
        return start.StartsWith("#["u8) || start.StartsWith("\"StartTimestamp\""u8) || start.StartsWith("Tag="u8) ? InputKind.Log
            : start.StartsWith("Value "u8) || start.StartsWith("\"Value\",\"Percentile\""u8) ? InputKind.Percentiles
            : InputKind.Numbers;
    }
}
