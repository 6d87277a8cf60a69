namespace Picollo.Samples.Tokenizer;

/// <summary>The number of occurrences of each token, for all threads together.</summary>
public sealed class TokenCounts
{
    private readonly Dictionary<string, int> _counts = new(StringComparer.Ordinal);

    public int DistinctCount => _counts.Count;

    public long TotalCount => _counts.Values.Sum(count => (long)count);

    /// <summary>Adds the counts of one thread.</summary>
    public void Add(IReadOnlyDictionary<string, int> counts)
    {
        foreach ((string token, int count) in counts)
        {
            _counts[token] = _counts.GetValueOrDefault(token) + count;
        }
    }

    /// <summary>Returns the most frequent tokens, in descending order of their counts.</summary>
    public IEnumerable<KeyValuePair<string, int>> MostFrequent(int number) =>
        _counts.OrderByDescending(pair => pair.Value).ThenBy(pair => pair.Key, StringComparer.Ordinal).Take(number);

    /// <summary>Finds the first token, in ordinal order, whose counts differ.</summary>
    /// <returns>A description of the difference, or <see langword="null"/> if the counts are equal.</returns>
    public string? FirstDifference(TokenCounts other)
    {
        string? token = _counts.Keys.Union(other._counts.Keys)
            .Where(token => _counts.GetValueOrDefault(token) != other._counts.GetValueOrDefault(token))
            .Min(StringComparer.Ordinal);
        return token is null
            ? null
            : $"'{token}' was counted {_counts.GetValueOrDefault(token):N0} times and {other._counts.GetValueOrDefault(token):N0} times";
    }
}
