using System.Globalization;

namespace Picollo.Benchmarks.AspNet;

/// <summary>Compares the requests per second with and without a middleware in pairs, and prints the medians of the ratios. It also compares the
/// server's CPU time per request, which other programs disturb less.</summary>
/// <param name="compared">The server without, in words.</param>
/// <param name="pairs">An odd number, so that the median is one of the ratios. A disturbance of one second affects one or two pairs.</param>
internal sealed class RatePairs(string compared = "no middleware", int pairs = 11)
{
    private const int WarmUpSeconds = 2;
    private const int OrderSeed = 42;

    private readonly List<(string Name, HelloProcess With, HelloProcess Without, string Path, double? Target)> _rows = [];

    public void Add(string name, HelloProcess with, HelloProcess without, string path, double? target = null) =>
        _rows.Add((name, with, without, path, target));

    public void Print(TextWriter output)
    {
        foreach ((HelloProcess server, string path) in _rows.SelectMany(row => new[] { (row.With, row.Path), (row.Without, row.Path) }).Distinct())
        {
            server.Measure(path, WarmUpSeconds);
        }

        Random random = new(OrderSeed);
        int[] order = [.. Enumerable.Range(0, _rows.Count)];
        (HelloFigures With, HelloFigures Without)[,] figures = new (HelloFigures, HelloFigures)[_rows.Count, pairs];
        for (int pair = 0; pair < pairs; pair++)
        {
            Progress.Show("Pair", pair, pairs);
            random.Shuffle(order);
            foreach (int i in order)
            {
                (_, HelloProcess with, HelloProcess without, string path, _) = _rows[i];
                bool isFirst = random.Next(2) == 0;
                HelloFigures first = (isFirst ? with : without).Measure(path, 1);
                HelloFigures second = (isFirst ? without : with).Measure(path, 1);
                figures[i, pair] = isFirst ? (first, second) : (second, first);
            }
        }

        Progress.Clear();
        TextTable table = new($"Compared with {compared}, {pairs} pairs", "requests/s", "ratio", "quartiles", "target", "verdict", "CPU µs per request", "additional µs");
        for (int i = 0; i < _rows.Count; i++)
        {
            double[] ratios = SortedOf(i, static pair => pair.With.RequestsPerSecond / pair.Without.RequestsPerSecond);
            double median = ratios[pairs / 2];
            double? target = _rows[i].Target;
            table.Add(
                _rows[i].Name,
                SortedOf(i, static pair => pair.With.RequestsPerSecond)[pairs / 2].ToString("N0", CultureInfo.InvariantCulture),
                Ratio(median),
                $"{Ratio(ratios[pairs / 4])} to {Ratio(ratios[pairs * 3 / 4])}",
                target is { } least ? $">= {Ratio(least)}" : string.Empty,
                target is null ? string.Empty : median >= target ? "ok" : $"MISSED by {Ratio(target.Value - median)}",
                Ratio(SortedOf(i, static pair => pair.With.CpuNanoseconds / 1e3)[pairs / 2]),
                Ratio(SortedOf(i, static pair => (pair.With.CpuNanoseconds - pair.Without.CpuNanoseconds) / 1e3)[pairs / 2]));
        }

        table.Print(output);

        double[] SortedOf(int row, Func<(HelloFigures With, HelloFigures Without), double> figure) =>
            [.. Enumerable.Range(0, pairs).Select(pair => figure(figures[row, pair])).Order()];
    }

    private static string Ratio(double ratio) => ratio.ToString("0.00", CultureInfo.InvariantCulture);
}
