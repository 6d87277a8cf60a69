using System.Text;
using Picollo.Metrics;

namespace Picollo.Export.Tests;

/// <summary>Registrations with texts that try to break an exposition.</summary>
internal static class HostileRegistrations
{
    private static readonly string[] Pieces =
    [
        "\\", "\"", "\n", "\r", "\0", "\t", " ", "{", "}", ",", "=", "#", ":", ";", "_", "__", "le", "__name__", "quantile", "exported_", "\ud83d", "\ude00",
        "😀", "é", "٣", "7", "a", "Z", "x_bucket", "_sum", "_count", "_total", "} 1\n", "\n# HELP a b\n# TYPE a counter\n", "+Inf", "NaN", "\u2028", "\ufeff",
        "</script>", "\\n",
    ];

    public static HdrHistogramRegistration Next(Random random)
    {
        HdrHistogram histogram = HdrHistogram.Factory.WithRelativeError(0.1).WithMaxTrackableValue(10).Create();
        histogram.Record((ulong)random.Next(12));
        HdrHistogramDescription description = HdrHistogramDescription.None with
        {
            Help = random.Next(2) == 0 ? "" : Text(random, 5),
            Unit = new() { Name = random.Next(2) == 0 ? "" : Text(random, 2) },
        };
        KeyValuePair<string, string>[] labels = [.. Enumerable.Range(0, random.Next(4))
            .Select(_ => KeyValuePair.Create(Text(random, 3), Text(random, 5)))
            .Where(label => label.Key.Length > 0).DistinctBy(label => label.Key)];
        return new HdrHistogramRegistration("x" + Text(random, 4), histogram, description, labels);
    }

    private static string Text(Random random, int pieces)
    {
        StringBuilder text = new();
        for (int i = random.Next(pieces + 1); i > 0; i--)
        {
            text.Append(Pieces[random.Next(Pieces.Length)]);
        }

        return text.ToString();
    }
}
