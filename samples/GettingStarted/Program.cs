using System.Globalization;

namespace Picollo.Samples;

/// <summary>Runs the programs of this folder by name; without a name it lists them and runs all, in half a minute.</summary>
internal static class Program
{
    private static readonly SampleProgram[] Programs =
    [
        new("getting-started", "a histogram, its summary, and the diff of two", _ => GettingStarted.Run()),
        new("snapshot", "the same tables from snapshots, without a reset", _ => GettingStartedSnapshot.Run()),
        new("percentiles", "every bucket that holds something, with its rank", _ => Percentiles.Run()),
        new("custom-percentiles", "percentiles at ranks of your own", _ => CustomPercentiles.Run()),
        new("clock-resolution", "the steps in which the clock is seen to advance", _ => ClockResolution.Run()),
        new("cycle-resolution", "the same for the CPU's own counter", _ => CycleResolution.Run()),
        new("scopes", "timing a using block in four units; takes 4 s", _ => Scopes.Run()),
        new("monitoring", "[seconds] a line a second about a live histogram", seconds => Monitoring.Run(seconds ?? 10), TakesNumber: true),
        new("stale-store", "[seconds] why a reset during writes is hard", seconds => StaleStore.Run(seconds ?? 2), TakesNumber: true),
        new(
            "single-threaded",
            "[rounds] the time of a record over four ranges, next to the article's",
            rounds => SingleThreadedTimes.Run(rounds ?? 10),
            TakesNumber: true),
        new(
            "thread-table",
            "[rounds] many threads record into one histogram, next to the article's times",
            rounds => ThreadTable.Run(rounds ?? 10),
            TakesNumber: true),
    ];

    public static int Main(string[] arguments)
    {
        if (arguments.Length == 0)
        {
            List(Console.Out);
            foreach (SampleProgram program in Programs)
            {
                Console.WriteLine();
                Console.WriteLine($"---- {program.Name} ----");
                program.Run(null);
            }

            return 0;
        }

        SampleProgram? chosen = Programs.FirstOrDefault(
            program => program.Name.Equals(arguments[0], StringComparison.OrdinalIgnoreCase));
        int? number = arguments.Length == 2 ? ParseNumber(arguments[1]) : null;
        bool understood = arguments.Length == 1 || (arguments.Length == 2 && number is not null && chosen?.TakesNumber == true);
        if (chosen is null || !understood)
        {
            List(Console.Error);
            return 2;
        }

        chosen.Run(number);
        return 0;
    }

    private static int? ParseNumber(string text) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int number) && number is > 0 and <= 86_400 ? number : null;

    private static void List(TextWriter writer)
    {
        writer.WriteLine("dotnet run -c Release --project samples/GettingStarted -- <name>, where the names are:");
        foreach (SampleProgram program in Programs)
        {
            writer.WriteLine($"  {program.Name,-19} {program.Description}");
        }
    }

    /// <summary>A program of this folder.</summary>
    /// <param name="Run">Runs it with the number of the command line; null for its default.</param>
    /// <param name="TakesNumber">Whether the command line may have a number after the name.</param>
    private sealed record SampleProgram(string Name, string Description, Action<int?> Run, bool TakesNumber = false);
}
