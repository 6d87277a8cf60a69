using System.Globalization;
using System.Text.RegularExpressions;

namespace Picollo.Samples.CpuWorker.Driving;

/// <summary>The output of <c>wrk</c> with the script <c>percentiles.lua</c>.</summary>
/// <param name="Requests">The number of requests that were answered in time.</param>
/// <param name="RequestsPerSecond">The number of these requests per second.</param>
/// <param name="Failed">The number of socket errors, timeouts and responses other than 2xx and 3xx.</param>
/// <param name="Latency">The response times, or <see langword="null"/> if no request was answered.</param>
public sealed partial record WrkReport(long Requests, double RequestsPerSecond, long Failed, Latencies? Latency)
{
    /// <summary>Parses the output of <c>wrk</c>.</summary>
    /// <exception cref="FormatException">The text is not such an output.</exception>
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

    private static string Find(string text, Regex pattern) => pattern.Match(text) is { Success: true } match
        ? match.Groups[1].Value
        : throw new FormatException($"the output of wrk does not match '{pattern}':\n{text}");

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
