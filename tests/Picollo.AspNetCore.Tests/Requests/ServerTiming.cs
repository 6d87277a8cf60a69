using System.Text.RegularExpressions;

namespace Picollo.AspNetCore.Tests.Requests;

/// <summary>Parses the header of a response.</summary>
internal static partial class ServerTiming
{
    /// <returns>The times, in milliseconds.</returns>
    public static (double Cpu, double Total) Of(HttpResponseMessage response)
    {
        Match match = Form().Match(response.Headers.GetValues("Server-Timing").Last());
        match.Success.Should().BeTrue();
        return (Parse(match.Groups[1].Value), Parse(match.Groups[2].Value));
    }

    private static double Parse(string milliseconds) => double.Parse(milliseconds, CultureInfo.InvariantCulture);

    [GeneratedRegex(@"^cpu;dur=([0-9]+(?:\.[0-9]+)?), total;dur=([0-9]+(?:\.[0-9]+)?)$")]
    private static partial Regex Form();
}
