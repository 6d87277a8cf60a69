using System.ComponentModel;
using System.Globalization;
using System.Runtime.InteropServices;

namespace Picollo.Samples.Top;

/// <summary>Repeats the experiments of a published document about <c>top</c>, whose programs compute Ackermann's function in Go. The command line is
/// <c>[experiment…]</c>, an <see cref="AckermannProgram"/>, or <see cref="WorkerOptions"/>.</summary>
public static class Program
{
    public static int Main(string[] arguments)
    {
        if (WorkerOptions.TryParse(arguments, out WorkerOptions options))
        {
            return Worker.Run(options, Console.In, Console.Out);
        }

        if (AckermannProgram.TryParse(arguments, out AckermannProgram? program, out string? reason))
        {
            if (program is null)
            {
                Console.Error.WriteLine(reason);
                return 2;
            }

            ProcessName.Set(program.Name);
            program.Run(Console.Out);
            return 0;
        }

        CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
        return Run(arguments, Console.Out);
    }

    /// <summary>Runs the experiments with the given names, or all experiments.</summary>
    public static int Run(string[] names, TextWriter output)
    {
        if (names.Except(Experiment.All.Select(experiment => experiment.Name)).FirstOrDefault() is { } unknown)
        {
            output.WriteLine($"Unknown experiment '{unknown}'. The experiments are:");
            foreach (Experiment experiment in Experiment.All)
            {
                output.WriteLine($"  {experiment.Name,-10} {experiment.Summary}");
            }

            output.WriteLine("The document's programs, with the largest second argument, are:");
            output.WriteLine($"  {AckermannProgram.SingleName} [{AckermannProgram.PublishedLargest}]");
            output.WriteLine($"  {AckermannProgram.MultiName} [{AckermannProgram.PublishedLargest}]");

            return 2;
        }

        output.WriteLine($"Machine  {Environment.ProcessorCount} CPUs, {RuntimeInformation.ProcessArchitecture}, {RuntimeInformation.OSDescription}");
        output.WriteLine("Document 2 CPUs, CentOS 8 virtual machine, a program in Go");
        output.WriteLine("The figures include all other programs on this machine, as in top.");
        foreach (Experiment experiment in Experiment.All.Where(experiment => names.Length == 0 || names.Contains(experiment.Name)))
        {
            output.WriteLine();
            output.WriteLine($"==== {experiment.Name}: {experiment.Summary}");
            output.WriteLine();
            Run(experiment, output);
        }

        return 0;
    }

    private static void Run(Experiment experiment, TextWriter output)
    {
        try
        {
            experiment.Run(output);
        }
        catch (Exception e) when (e is MeasurementUnavailableException or WorkerException or IOException or Win32Exception)
        {
            output.WriteLine($"Unavailable: {e.Message}");
        }
    }
}
