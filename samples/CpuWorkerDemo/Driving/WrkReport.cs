using System.Globalization;
using System.Text.RegularExpressions;

namespace Picollo.Samples.CpuWorker.Driving;

/// <summary>What <c>wrk</c> prints with the script <c>percentiles.lua</c>.</summary>
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
        string[] microseconds = Find(text, Microseconds()).Split(' ', StringSplitOptions.RemoveEmptyEntries);
        Latencies? latency = requests == 0 ? null : Latencies.Of([.. microseconds.Select(one => double.Parse(one, CultureInfo.InvariantCulture) / 1e3)]);
        return new WrkReport(requests, perSecond, failed, latency);
    }

    private static string Find(string text, Regex what) => what.Match(text) is { Success: true } match
        ? match.Groups[1].Value
        : throw new FormatException($"wrk printed nothing like '{what}':\n{text}");

    [GeneratedRegex(@"^ *(\d+) requests in ", RegexOptions.Multiline)]
    private static partial Regex RequestCount();

    [GeneratedRegex(@"^Requests/sec: *([0-9.]+)", RegexOptions.Multiline)]
    private static partial Regex Rate();

    [GeneratedRegex(@"^Percentiles, us:((?: \d+){9})$", RegexOptions.Multiline)]
    private static partial Regex Microseconds();

    [GeneratedRegex(@"^ *Socket errors:(?:[^\d\n]+(\d+))+", RegexOptions.Multiline)]
    private static partial Regex SocketErrors();

    [GeneratedRegex(@"^ *Non-2xx or 3xx responses: (\d+)", RegexOptions.Multiline)]
    private static partial Regex WrongStatus();
}
