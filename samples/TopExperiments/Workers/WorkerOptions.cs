using System.Globalization;

namespace Picollo.Samples.Top;

/// <summary>What a worker is asked for, and its command line: <c>worker threads nice cpu rounds</c>, a dash for null.</summary>
/// <param name="Threads">How many threads compute.</param>
/// <param name="Nice">The niceness to ask for, or null to leave it.</param>
/// <param name="Cpu">The CPU to stay on, or null for any.</param>
/// <param name="Rounds">How many computations each thread makes, or null to go on until the worker is told to end.</param>
public sealed record WorkerOptions(int Threads = 1, int? Nice = null, int? Cpu = null, int? Rounds = null)
{
    public const string Verb = "worker";

    private const string None = "-";

    public static bool TryParse(string[] arguments, out WorkerOptions options)
    {
        options = new WorkerOptions();
        if (arguments is not [Verb, var threads, var nice, var cpu, var rounds]
            || !TryParse(threads, 1, 1_024, out int? count) || count is not { } number
            || !TryParse(nice, -100, 100, out int? niceness)
            || !TryParse(cpu, 0, 63, out int? place)
            || !TryParse(rounds, 1, 1_000, out int? times))
        {
            return false;
        }

        options = new WorkerOptions(number, niceness, place, times);
        return true;
    }

    public string[] ToArguments() => [Verb, Text(Threads), Text(Nice), Text(Cpu), Text(Rounds)];

    private static string Text(int? number) => number?.ToString(CultureInfo.InvariantCulture) ?? None;

    private static bool TryParse(string text, int min, int max, out int? number)
    {
        bool isNumber = int.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out int value);
        number = isNumber ? value : null;
        return text == None || (isNumber && value >= min && value <= max);
    }
}
