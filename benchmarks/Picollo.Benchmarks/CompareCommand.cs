using Picollo.Benchmarks.Histogram;

namespace Picollo.Benchmarks;

/// <summary>The verb <c>compare [name]</c>: a quick side-by-side comparison of one area.</summary>
internal static class CompareCommand
{
    private static readonly Dictionary<string, Action<TextWriter>> Comparisons = new()
    {
        [HistogramComparison.Name] = HistogramComparison.Run,
    };

    public static int Run(string[] names)
    {
        string name = names.FirstOrDefault() ?? HistogramComparison.Name;
        if (names.Length > 1 || !Comparisons.TryGetValue(name, out Action<TextWriter>? comparison))
        {
            Console.Error.WriteLine($"error: no comparison '{string.Join(' ', names)}'; there are: {string.Join(", ", Comparisons.Keys)}");
            return 1;
        }

        comparison(Console.Out);
        return 0;
    }
}
