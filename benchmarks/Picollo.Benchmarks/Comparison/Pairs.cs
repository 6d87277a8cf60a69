using System.Globalization;

namespace Picollo.Benchmarks.Comparison;

/// <summary>Measures pairs of runs with and without a feature, in random order, so that other programs on the machine disturb both
/// equally.</summary>
internal static class Pairs
{
    public const int Count = 20;

    private const int OrderSeed = 42;

    /// <summary>Measures each pair.</summary>
    public static List<(T With, T Without)> Measure<T>(string name, Func<T> with, Func<T> without)
    {
        Random random = new(OrderSeed);
        List<(T With, T Without)> pairs = [];
        for (int pair = 0; pair < Count; pair++)
        {
            Progress.Show(name, pair, Count);
            bool isFirst = random.Next(2) == 0;
            T first = (isFirst ? with : without)();
            T second = (isFirst ? without : with)();
            pairs.Add(isFirst ? (first, second) : (second, first));
        }

        Progress.Clear();
        return pairs;
    }

    /// <summary>Returns the cells "ratio", "quartiles", "target" and "verdict".</summary>
    public static string[] Cells(IEnumerable<double> ratios, double target)
    {
        double[] sorted = [.. ratios.Order()];
        double median = (sorted[(sorted.Length / 2) - 1] + sorted[sorted.Length / 2]) / 2;
        return
        [
            Text(median),
            $"{Text(sorted[sorted.Length / 4])} to {Text(sorted[sorted.Length * 3 / 4])}",
            $"<= {Text(target)}",
            median <= target ? "ok" : $"MISSED by {Text(median - target)}",
        ];
    }

    private static string Text(double ratio) => ratio.ToString("0.000", CultureInfo.InvariantCulture);
}
