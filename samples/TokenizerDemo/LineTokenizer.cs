namespace Picollo.Samples.Tokenizer;

/// <summary>
/// Counts the tokens of lines. A token is a run of characters without <see cref="Separators"/>, in lower case. Not
/// thread-safe: each thread has its own.
/// </summary>
public abstract class LineTokenizer
{
    /// <summary>The white space and punctuation of ASCII, without the underscore that identifiers have.</summary>
    public const string Separators = " \t\r\n!\"#$%&'()*+,-./:;<=>?@[\\]^`{|}~";

    /// <summary>How often each token was seen.</summary>
    public Dictionary<string, int> Counts { get; } = new(StringComparer.Ordinal);

    /// <summary>Adds the tokens of a line to <see cref="Counts"/>.</summary>
    public abstract void Count(string line);
}
