using System.Globalization;

namespace Picollo.Samples;

/// <summary>Runs the program with the given name. Without a name, lists and runs all programs of this folder.</summary>
internal static class Program
{
    private static readonly SampleProgram[] Programs =
    [
        new("getting-started", "a histogram, its summary, and the difference between two summaries", _ => GettingStarted.Run()),
        new("snapshot", "the same tables from snapshots, without a reset", _ => GettingStartedSnapshot.Run()),
        new("percentiles", "all buckets with values, and their ranks", _ => Percentiles.Run()),
        new("custom-percentiles", "percentiles at selected ranks", _ => CustomPercentiles.Run()),
        new("clock-resolution", "the steps by which Stopwatch advances", _ => ClockResolution.Run()),
        new("cycle-resolution", "the steps by which the CPU's time counter advances", _ => CycleResolution.Run()),
        new("scopes", "a using block timed in four units; takes 4 s", _ => Scopes.Run()),
        new("monitoring", "[seconds] a summary line per second of a live histogram", seconds => Monitoring.Run(seconds ?? 10), TakesNumber: true),
        new("stale-store", "[seconds] why a reset during writes is difficult", seconds => StaleStore.Run(seconds ?? 2), TakesNumber: true),
        new(
            "single-threaded",
            "[rounds] the time of a record for four ranges, compared with the article",
            rounds => SingleThreadedTimes.Run(rounds ?? 10),
            TakesNumber: true),
        new(
            "thread-table",
            "[rounds] the time of a record with several threads, compared with the article",
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
        writer.WriteLine("usage: dotnet run -c Release --project samples/GettingStarted -- <name>. The names are:");
        foreach (SampleProgram program in Programs)
        {
            writer.WriteLine($"  {program.Name,-19} {program.Description}");
        }
    }

    /// <summary>A program of this folder.</summary>
    /// <param name="Name">The name on the command line.</param>
    /// <param name="Description">The description in the list of programs.</param>
    /// <param name="Run">Runs the program with the number from the command line, or with <see langword="null"/> for the default.</param>
    /// <param name="TakesNumber">Whether the command line can have a number after the name.</param>
    private sealed record SampleProgram(string Name, string Description, Action<int?> Run, bool TakesNumber = false);
}
