namespace Picollo.PerfGuestApp;

/// <summary>One check after the other, each with a line that says how it ended.</summary>
internal static class Check
{
    public static void Run(string name, Action check)
    {
        try
        {
            check();
            Console.WriteLine($"PASS {name}");
        }
        catch (Exception e)
        {
            Console.WriteLine($"FAIL {name}: {e.ToString().ReplaceLineEndings(" ")}");
        }
    }

    /// <summary>Prints a count, and ends the check where it is out of bounds.</summary>
    public static void Within(string what, ulong value, ulong least, ulong most)
    {
        string line = FormattableString.Invariant($"{what}: {value:N0}, expected {least:N0} to {most:N0}");
        Console.WriteLine($"  {line}");
        That(value >= least && value <= most, line);
    }

    /// <summary>Ends the check where something is not so.</summary>
    public static void That(bool isSo, string otherwise)
    {
        if (!isSo)
        {
            throw new InvalidOperationException(otherwise);
        }
    }
}
