namespace Picollo.Samples;

/// <summary>Runs both programs, or the program with the given name. Without hardware counters, the programs use other measurements.</summary>
internal static class Program
{
    private static readonly (string Name, string Description, Action WithPmu, Action WithoutPmu)[] Programs =
    [
        ("known-workload", "256,000 dependent additions, one cycle each", () => KnownWorkload.Run(), () => KnownWorkload.RunWithoutPmu()),
        ("sorted", "the same loop over unsorted and sorted values", () => SortedUnsorted.Run(), () => SortedUnsorted.RunWithoutPmu()),
    ];

    public static int Main(string[] arguments)
    {
        var chosen = Programs.Where(program => arguments.Length == 0 || arguments.Contains(program.Name)).ToList();
        if (chosen.Count < Math.Max(arguments.Length, 1))
        {
            Console.Error.WriteLine("usage: dotnet run -c Release --project samples/PerfCounters -- [name]. The names are:");
            foreach ((string name, string description, _, _) in Programs)
            {
                Console.Error.WriteLine($"  {name,-15} {description}");
            }

            return 2;
        }

        foreach ((string name, string description, Action withPmu, Action withoutPmu) in chosen)
        {
            Console.WriteLine($"---- {name}: {description} ----");
            CpuPmu.RunOrElse(withPmu, withoutPmu);
            Console.WriteLine();
        }

        return 0;
    }
}
