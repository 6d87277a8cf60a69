using System.Globalization;
using System.Text.RegularExpressions;

namespace Picollo.Samples.CpuWorker.Driving;

/// <summary>What <c>wrk --latency</c> prints.</summary>
/// <param name="Requests">Answered in time.</param>
/// <param name="RequestsPerSecond">The same, by time.</param>
/// <param name="Failed">Socket errors, timeouts and answers other than 2xx and 3xx.</param>
/// <param name="Latency">Null where nothing was answered.</param>
public sealed partial record WrkReport(long Requests, double RequestsPerSecond, long Failed, Latencies? Latency)
{
    /// <exception cref="FormatException">It is not such a text.</exception>
    public static WrkReport Parse(string text)
    {
        long requests = long.Parse(Find(text, RequestCount()), CultureInfo.InvariantCulture);
        double perSecond = double.Parse(Find(text, Rate()), CultureInfo.InvariantCulture);
        long failed = SocketErrors().Match(text).Groups[1].Captures.Concat(WrongStatus().Match(text).Groups[1].Captures)
            .Sum(count => long.Parse(count.Value, CultureInfo.InvariantCulture));
        Latencies? latency = requests == 0 ? null : new Latencies(
            ToMilliseconds(Find(text, Median())),
            ToMilliseconds(Find(text, Percentile90())),
            ToMilliseconds(Find(text, Percentile99())),
            ToMilliseconds(Find(text, Maximum())));
        return new WrkReport(requests, perSecond, failed, latency);
    }

    private static string Find(string text, Regex what) => what.Match(text) is { Success: true } match
        ? match.Groups[1].Value
        : throw new FormatException($"wrk printed nothing like '{what}':\n{text}");

    private static double ToMilliseconds(string text)
    {
        Match match = Duration().Match(text);
        double unit = match.Groups[2].Value switch
        {
            "us" => 0.001,
            "ms" => 1,
            "s" => 1_000,
            "m" => 60_000,
            "h" => 3_600_000,
            _ => throw new FormatException($"wrk printed '{text}' where a duration stands."),
        };
        return double.Parse(match.Groups[1].Value, CultureInfo.InvariantCulture) * unit;
    }

    [GeneratedRegex(@"^ *(\d+) requests in ", RegexOptions.Multiline)]
    private static partial Regex RequestCount();

    [GeneratedRegex(@"^Requests/sec: *([0-9.]+)", RegexOptions.Multiline)]
    private static partial Regex Rate();

    [GeneratedRegex(@"^ *Latency +\S+ +\S+ +(\S+)", RegexOptions.Multiline)]
    private static partial Regex Maximum();

    [GeneratedRegex(@"^ *50% +(\S+)", RegexOptions.Multiline)]
    private static partial Regex Median();

    [GeneratedRegex(@"^ *90% +(\S+)", RegexOptions.Multiline)]
    private static partial Regex Percentile90();

    [GeneratedRegex(@"^ *99% +(\S+)", RegexOptions.Multiline)]
    private static partial Regex Percentile99();

    [GeneratedRegex(@"^ *Socket errors:(?:[^\d\n]+(\d+))+", RegexOptions.Multiline)]
    private static partial Regex SocketErrors();

    [GeneratedRegex(@"^ *Non-2xx or 3xx responses: (\d+)", RegexOptions.Multiline)]
    private static partial Regex WrongStatus();

    [GeneratedRegex(@"^([0-9.]+)([a-z]+)$")]
    private static partial Regex Duration();
}
