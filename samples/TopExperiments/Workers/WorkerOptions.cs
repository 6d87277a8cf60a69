using System.Globalization;

namespace Picollo.Samples.Top;

/// <summary>The options of a worker. The command line is <c>worker threads nice</c>, with a dash for <see langword="null"/>.</summary>
/// <param name="Threads">The number of threads that compute.</param>
/// <param name="Nice">The niceness to request, or <see langword="null"/> to keep that of the caller.</param>
public sealed record WorkerOptions(int Threads = 1, int? Nice = null)
{
    public const string Verb = "worker";

    private const string None = "-";

    public static bool TryParse(string[] arguments, out WorkerOptions options)
    {
        options = new WorkerOptions();
        if (arguments is not [Verb, var threads, var nice]
            || !TryParse(threads, 1, 1_024, out int? count) || count is not { } number
            || !TryParse(nice, -100, 100, out int? niceness))
        {
            return false;
        }

        options = new WorkerOptions(number, niceness);
        return true;
    }

    public string[] ToArguments() => [Verb, Text(Threads), Text(Nice)];

    private static string Text(int? number) => number?.ToString(CultureInfo.InvariantCulture) ?? None;

    private static bool TryParse(string text, int min, int max, out int? number)
    {
        bool isNumber = int.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out int value);
        number = isNumber ? value : null;
        return text == None || (isNumber && value >= min && value <= max);
    }
}
