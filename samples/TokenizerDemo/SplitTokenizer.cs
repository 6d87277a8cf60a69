namespace Picollo.Samples.Tokenizer;

/// <summary>The straightforward tokenizer: it splits the line, converts each word to lower case, and looks it up twice.</summary>
public sealed class SplitTokenizer : LineTokenizer
{
    private static readonly char[] SeparatorArray = Separators.ToCharArray();

    public override void Count(string line)
    {
        foreach (string word in line.Split(SeparatorArray, StringSplitOptions.RemoveEmptyEntries))
        {
            string token = word.ToLowerInvariant();
            Counts[token] = Counts.TryGetValue(token, out int count) ? count + 1 : 1;
        }
    }
}
