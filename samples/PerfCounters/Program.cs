namespace Picollo.Samples;

/// <summary>Runs both programs, or one by its name; on a machine without the CPU's counters the same work with others.</summary>
internal static class Program
{
    private static readonly (string Name, string Description, Action WithPmu, Action WithoutPmu)[] Programs =
    [
        ("known-workload", "256,000 dependent additions: a cycle each", () => KnownWorkload.Run(), () => KnownWorkload.RunWithoutPmu()),
        ("sorted", "one loop over unsorted and over sorted values", () => SortedUnsorted.Run(), () => SortedUnsorted.RunWithoutPmu()),
    ];

    public static int Main(string[] arguments)
    {
        var chosen = Programs.Where(program => arguments.Length == 0 || arguments.Contains(program.Name)).ToList();
        if (chosen.Count < Math.Max(arguments.Length, 1))
        {
            Console.Error.WriteLine("dotnet run -c Release --project samples/PerfCounters -- [name], where the names are:");
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
