namespace Picollo.PerfGuestApp;

/// <summary>Runs checks one after the other, and prints a line with the result of each.</summary>
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

    /// <summary>Prints a count, and fails the check if it is out of bounds.</summary>
    public static void Within(string what, ulong value, ulong min, ulong max)
    {
        string line = FormattableString.Invariant($"{what}: {value:N0}, expected {min:N0} to {max:N0}");
        Console.WriteLine($"  {line}");
        That(value >= min && value <= max, line);
    }

    /// <summary>Fails the check with a message if a condition is false.</summary>
    public static void That(bool condition, string message)
    {
        if (!condition)
        {
            throw new InvalidOperationException(message);
        }
    }
}
