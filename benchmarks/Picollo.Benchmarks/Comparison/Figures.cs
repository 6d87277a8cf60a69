using System.Globalization;

namespace Picollo.Benchmarks.Comparison;

/// <summary>The result of the repetitions of one contender, in nanoseconds per operation.</summary>
internal readonly record struct Figures(double Median, double Minimum)
{
    private const char Separator = '\t';

    public static Figures Of(double[] samples)
    {
        double[] sorted = [.. samples.Order()];
        return new Figures((sorted[(sorted.Length - 1) / 2] + sorted[sorted.Length / 2]) / 2, sorted[0]);
    }

    /// <summary>Writes figures as lines of text, for the parent process.</summary>
    public static void Write(TextWriter output, IEnumerable<Row> rows, IReadOnlyDictionary<Contender, Figures> figures)
    {
        foreach (Row row in rows)
        {
            Figures of = figures[row.Measured];
            output.WriteLine(string.Create(
                CultureInfo.InvariantCulture, $"{Key(row.Section, row.Measured)}{Separator}{of.Median:R}{Separator}{of.Minimum:R}"));
        }
    }

    /// <summary>Parses figures into a dictionary by <see cref="Key"/>. Lines with another format are ignored.</summary>
    public static Dictionary<string, Figures> Parse(string text)
    {
        Dictionary<string, Figures> figures = [];
        foreach (string line in text.Split('\n'))
        {
            if (line.Trim().Split(Separator) is [string section, string name, string median, string minimum])
            {
                figures[section + Separator + name] = new Figures(
                    double.Parse(median, CultureInfo.InvariantCulture), double.Parse(minimum, CultureInfo.InvariantCulture));
            }
        }

        return figures;
    }

    public static string Key(string section, Contender contender) => section + Separator + contender.Name;
}
