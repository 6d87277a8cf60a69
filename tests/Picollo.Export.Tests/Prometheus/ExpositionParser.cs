using System.Globalization;
using System.Text;
using System.Text.RegularExpressions;

namespace Picollo.Export.Tests;

/// <summary>
/// A strict parser of the text format 0.0.4 (https://prometheus.io/docs/instrumenting/exposition_formats/) that accepts only histograms.
/// It throws a <see cref="FormatException"/> if the text is not allowed by the format, or if a histogram is inconsistent.
/// </summary>
internal sealed partial class ExpositionParser
{
    private static readonly string[] Suffixes = ["_bucket", "_sum", "_count"];

    private readonly Dictionary<string, string> _help = [];
    private readonly HashSet<string> _types = [];
    private readonly Dictionary<string, ExpositionSeries> _series = [];
    private readonly List<string> _comments = [];
    private string _family = "";
    private ExpositionSeries? _last;

    public static (IReadOnlyList<ExpositionSeries> Series, IReadOnlyList<string> Comments) Parse(ReadOnlySpan<byte> bytes)
    {
        string text = new UTF8Encoding(false, throwOnInvalidBytes: true).GetString(bytes);
        ExpositionParser parser = new();
        if (text.Length > 0)
        {
            Check(text.EndsWith('\n'), "the last line has no line end");
            foreach (string line in text[..^1].Split('\n'))
            {
                try
                {
                    parser.ReadLine(line);
                }
                catch (Exception e) when (e is not FormatException { InnerException: not null })
                {
                    throw new FormatException($"{e.Message}: {line}", e);
                }
            }

            parser.EndSeries();
        }

        return ([.. parser._series.Values], parser._comments);
    }

    private static void Check(bool condition, string fault)
    {
        if (!condition)
        {
            throw new FormatException(fault);
        }
    }

    private void ReadLine(string line)
    {
        if (!line.StartsWith('#'))
        {
            ReadSample(line);
            return;
        }

        string[] words = line.Split([' ', '\t'], 4, StringSplitOptions.RemoveEmptyEntries);
        if (words is ["#", "HELP" or "TYPE", ..])
        {
            Check(words.Length >= 3 && MetricName().IsMatch(words[2]), "no name");
            Check(!Suffixes.Any(suffix => words[2].EndsWith(suffix, StringComparison.Ordinal) && _types.Contains(words[2][..^suffix.Length])), "another histogram's lines");
            string rest = words.Length == 4 ? words[3] : "";
            if (words[1] == "HELP")
            {
                Check(_help.TryAdd(words[2], Unescape(rest, "\\n")), "a second help");
            }
            else
            {
                Check(rest == "histogram", "another type");
                Check(_types.Add(words[2]), "the name has a second type, or its lines are not adjacent");
                _family = words[2];
            }
        }
        else
        {
            _comments.Add(line);
        }
    }

    private void ReadSample(string line)
    {
        Match sample = Sample().Match(line);
        Check(sample.Success, "no sample");
        string name = sample.Groups["name"].Value;

        // A parser first looks for a metric with the name of the line, and only then for a histogram.
        Check(!_types.Contains(name), "a sample has the name of a histogram without a suffix");
        string suffix = name.StartsWith(_family, StringComparison.Ordinal) ? name[_family.Length..] : "";
        Check(Suffixes.Contains(suffix), "the sample does not belong to the histogram above");

        SortedDictionary<string, string> labels = new(StringComparer.Ordinal);
        for (int i = 0; i < sample.Groups["label"].Captures.Count; i++)
        {
            string label = sample.Groups["label"].Captures[i].Value;
            Check(!label.StartsWith("__", StringComparison.Ordinal), "a reserved label");
            Check(labels.TryAdd(label, Unescape(sample.Groups["value"].Captures[i].Value, "\\n\"")), "a duplicate label");
        }

        string? bound = labels.GetValueOrDefault("le");
        Check(labels.Remove("le") == (suffix == "_bucket"), "only buckets must have the label le");
        string identity = $"{_family}{{{string.Join(',', labels.Where(each => each.Value.Length > 0).Select(each => $"{each.Key}={each.Value.Length}:{each.Value}"))}}}";
        if (!_series.TryGetValue(identity, out ExpositionSeries? series))
        {
            EndSeries();
            series = new ExpositionSeries(_family, _help.GetValueOrDefault(_family, ""), labels);
            _series.Add(identity, series);
        }
        else
        {
            Check(ReferenceEquals(series, _last), "the series is duplicated, or its lines are not adjacent");
        }

        _last = series;
        string number = sample.Groups["number"].Value;
        switch (suffix)
        {
            case "_bucket":
                Check(series.Sum is null && series.Count is null, "a bucket follows the sum or the count");
                series.Buckets.Add((bound!, Number(bound!), Integer(number)));
                break;
            case "_sum":
                Check(series.Sum is null, "a second sum");
                series.Sum = Number(number);
                break;
            default:
                Check(series.Count is null, "a second count");
                series.Count = Integer(number);
                break;
        }
    }

    private void EndSeries()
    {
        if (_last is not { } series)
        {
            return;
        }

        Check(series is { Sum: not null, Count: not null }, "the sum or the count is missing");
        Check(series.Buckets.Count > 0 && series.Buckets[^1].Text == "+Inf", "the bucket +Inf is missing, or it is not the last one");
        Check(series.Buckets[^1].Count == series.Count, "the bucket +Inf differs from the count");
        for (int i = 1; i < series.Buckets.Count; i++)
        {
            Check(series.Buckets[i].Bound > series.Buckets[i - 1].Bound, "bounds do not ascend");
            Check(series.Buckets[i].Count >= series.Buckets[i - 1].Count, "counts are not cumulative");
        }
    }

    private static ulong Integer(string text) => ulong.Parse(text, NumberStyles.None, CultureInfo.InvariantCulture);

    private static double Number(string text) => text switch
    {
        "+Inf" => double.PositiveInfinity,
        _ when Decimal().IsMatch(text) => double.Parse(text, NumberStyles.Float, CultureInfo.InvariantCulture),
        _ => throw new FormatException("no number"),
    };

    private static string Unescape(string text, string allowed)
    {
        StringBuilder plain = new();
        for (int i = 0; i < text.Length; i++)
        {
            if (text[i] != '\\')
            {
                plain.Append(text[i]);
                continue;
            }

            i++;
            Check(i < text.Length && allowed.Contains(text[i], StringComparison.Ordinal), "an escape sequence is invalid");
            plain.Append(text[i] == 'n' ? '\n' : text[i]);
        }

        return plain.ToString();
    }

    [GeneratedRegex(@"\A[a-zA-Z_:][a-zA-Z0-9_:]*\z")]
    private static partial Regex MetricName();

    [GeneratedRegex(@"\A[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?\z")]
    private static partial Regex Decimal();

    [GeneratedRegex("""\A(?<name>[a-zA-Z_:][a-zA-Z0-9_:]*)(\{((?<label>[a-zA-Z_][a-zA-Z0-9_]*)="(?<value>([^"\\]|\\[\\"n])*)"(,(?!\})|(?=\})))+\})? (?<number>[^ ]+)\z""", RegexOptions.ExplicitCapture)]
    private static partial Regex Sample();
}
