using Picollo.Benchmarks.Comparison;

namespace Picollo.Benchmarks.AspNet;

/// <summary><c>compare aspnet</c>: what Picollo costs in a web application.</summary>
internal static class AspNetComparison
{
    public const string Name = "aspnet";

    public static int Run(TextWriter output, string[] arguments)
    {
        if (arguments.Length != 0)
        {
            Console.Error.WriteLine($"error: 'compare {Name}' takes no arguments, not '{string.Join(' ', arguments)}'");
            return 1;
        }

        MachineInfo.Print(output);
        ScrapeRows.Print(output);
        return 0;
    }
}
