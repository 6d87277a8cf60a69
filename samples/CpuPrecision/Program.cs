using System.Globalization;

namespace Picollo.Samples.Precision;

/// <summary>Measures the steps by which each reading of CPU time advances, and prints them next to the figures in the
/// documentation of Universe.CpuUsage, which this sample calls the document. The command line is <c>[milliseconds for each reader]</c>.</summary>
public static class Program
{
    private const int DefaultMilliseconds = 1_000;

    public static int Main(string[] arguments) => Run(arguments, Console.Out);

    public static int Run(string[] arguments, TextWriter output)
    {
        int milliseconds = DefaultMilliseconds;
        if (arguments.Length > 1
            || (arguments is [var text] && !(int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out milliseconds) && milliseconds is > 0 and <= 60_000)))
        {
            output.WriteLine("usage: CpuPrecision [MILLISECONDS]. MILLISECONDS is the duration of the measurement of each clock, from 1 to 60000.");
            return 2;
        }

        List<(string Reader, Steps Steps)> measured = [];
        foreach (Reader reader in Reader.All)
        {
            try
            {
                measured.Add((reader.Name, StepMeter.Measure(reader.Read, TimeSpan.FromMilliseconds(milliseconds))));
            }
            catch (MeasurementUnavailableException e)
            {
                output.WriteLine($"{reader.Name}: {e.Message}");
            }
        }

        Report.Print(output, Report.DescribeMachine(), measured);
        foreach ((string reader, Steps steps) in measured)
        {
            output.WriteLine(steps.Histogram.GetSummary().ToTable(title: $"Steps of {reader}, ns"));
        }

        return 0;
    }
}
