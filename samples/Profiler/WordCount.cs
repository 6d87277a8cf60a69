using System.Diagnostics;
using System.Text.RegularExpressions;

namespace Picollo.Samples.WordCounting;

/// <summary>Counts the words of generated texts in parallel, with a regular expression.</summary>
internal static partial class WordCount
{
    private static readonly string[] Vocabulary = [.. Enumerable.Range(0, 5_000).Select(number => new string([.. Letters(number)]))];

    /// <summary>Counts words for a duration.</summary>
    /// <returns>The number of distinct words.</returns>
    public static async Task<int> RunAsync(TimeSpan duration)
    {
        Dictionary<string, int> totals = [];
        long start = Stopwatch.GetTimestamp();
        for (int seed = 0; Stopwatch.GetElapsedTime(start) < duration; seed++)
        {
            var parts = await Task.WhenAll(Enumerable.Range(0, 4).Select(part => CountAsync(MakeText((4 * seed) + part))));
            foreach ((string word, int count) in parts.SelectMany(part => part))
            {
                totals[word] = totals.GetValueOrDefault(word) + count;
            }
        }

        return totals.Count;
    }

    private static async Task<Dictionary<string, int>> CountAsync(string text)
    {
        await Task.Yield(); // continues on another thread of the pool
        Dictionary<string, int> counts = [];
        foreach (Match match in Word().Matches(text))
        {
            string word = match.Value.ToLowerInvariant();
            counts[word] = counts.GetValueOrDefault(word) + 1;
        }

        return counts;
    }

    private static string MakeText(int seed)
    {
        Random random = new(seed);
        return string.Join(' ', Enumerable.Range(0, 20_000).Select(_ => Vocabulary[random.Next(Vocabulary.Length)]));
    }

    private static IEnumerable<char> Letters(int number)
    {
        do
        {
            yield return (char)('a' + (number % 26));
            number /= 26;
        }
        while (number > 0);
    }

    [GeneratedRegex(@"\w+")]
    private static partial Regex Word();
}
