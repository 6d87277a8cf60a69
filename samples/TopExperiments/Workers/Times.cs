using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Text.RegularExpressions;

namespace Picollo.Samples.Top;

/// <summary>The times that the shell's <c>time</c> prints after a command.</summary>
/// <param name="Real">The time from the start of the program to its end.</param>
/// <param name="User">The CPU time of the program outside of the kernel.</param>
/// <param name="System">The CPU time of the program in the kernel.</param>
public sealed partial record Times(TimeSpan Real, TimeSpan User, TimeSpan System)
{
    /// <summary>Returns the three lines of <c>time</c>.</summary>
    public override string ToString() => string.Join(Environment.NewLine, Line("real", Real), Line("user", User), Line("sys", System));

    /// <summary>Parses the last three lines of a program's output.</summary>
    public static bool TryParse(IReadOnlyList<string> output, [NotNullWhen(true)] out Times? times)
    {
        Match match = Lines().Match(string.Join('\n', output.TakeLast(3)));
        times = match.Success ? new Times(Value(match, 1), Value(match, 3), Value(match, 5)) : null;
        return match.Success;
    }

    private static string Line(string name, TimeSpan time) => string.Create(
        CultureInfo.InvariantCulture, $"{name}\t{(long)time.TotalMinutes}m{time.TotalSeconds % 60:0.000}s");

    private static TimeSpan Value(Match match, int group) =>
        TimeSpan.FromMinutes(Number(match, group)) + TimeSpan.FromSeconds(Number(match, group + 1));

    private static double Number(Match match, int group) => double.Parse(match.Groups[group].ValueSpan, CultureInfo.InvariantCulture);

    [GeneratedRegex(@"^real\t(\d+)m([0-9.]+)s\nuser\t(\d+)m([0-9.]+)s\nsys\t(\d+)m([0-9.]+)s$")]
    private static partial Regex Lines();
}
