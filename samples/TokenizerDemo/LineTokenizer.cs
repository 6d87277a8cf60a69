namespace Picollo.Samples.Tokenizer;

/// <summary>
/// Counts the tokens of lines. A token is a sequence of characters that are not <see cref="Separators"/>, in lower case. This
/// class is not thread-safe: each thread needs its own instance.
/// </summary>
public abstract class LineTokenizer
{
    /// <summary>The ASCII white space and punctuation, except the underscore, which is part of identifiers.</summary>
    public const string Separators = " \t\r\n!\"#$%&'()*+,-./:;<=>?@[\\]^`{|}~";

    /// <summary>The number of occurrences of each token.</summary>
    public Dictionary<string, int> Counts { get; } = new(StringComparer.Ordinal);

    /// <summary>Adds the tokens of a line to <see cref="Counts"/>.</summary>
    public abstract void Count(string line);
}
