using System.Globalization;

namespace Picollo.Samples.Precision;

/// <summary>Measures the precision of each reader. The command line is <c>[milliseconds for each reader]</c>.</summary>
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
            output.WriteLine("usage: CpuPrecision [MILLISECONDS], the time to read each clock: 1 to 60000");
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
            steps.Histogram.GetSummary().WriteTable(output, new() { Title = $"Steps of {reader}, ns" });
        }

        return 0;
    }
}
