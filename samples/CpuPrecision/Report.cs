using System.Globalization;
using System.Runtime.InteropServices;
using Picollo.Metrics;

namespace Picollo.Samples.Precision;

/// <summary>Prints the steps of each reader and the figures of the document.</summary>
public static class Report
{
    private const double NanosecondsPerMicrosecond = 1_000;

    /// <summary>The document's table of average steps, in microseconds.</summary>
    private static readonly (string System, double Microseconds)[] OfDocument =
    [
        ("Windows Server 2019, Xeon E5-2697 v3", 16_250),
        ("Linux, Xeon E5-2697 v3 @ 2.60GHz, kernel 5.0", 3_800),
        ("Linux, ARMv7 H3 CPU, 1.50GHz, kernel 3.4", 10_000),
        ("Linux, ARMv7 H3 CPU, 1.10GHz, kernel 4.19", 3_800),
        ("Mac OS 10.14, Xeon E5-2697 v2 @ 2.70GHz", 14),
        ("FreeBSD 12, .NET Core 2.0, Xeon E3-1270 v2 @ 3.50GHz, pseudo kernel 2.6.32", 3),
        ("FreeBSD 12, Mono 5.1, Xeon E3-1270 v2 @ 3.50GHz, native BSD 12", 1.9),
    ];

    public static void Print(TextWriter output, string machine, IReadOnlyList<(string Reader, Steps Steps)> measured)
    {
        MarkdownTable table = new("lrrrr", ["", "average step, µs", "median, µs", "P99, µs", "reads per step"]);
        foreach ((string reader, Steps steps) in measured)
        {
            HdrHistogramSummary summary = steps.Histogram.GetSummary();
            table.Add(summary.TotalCount == 0
                ? [reader, "no steps", "", "", ""]
                : [reader, Micro(summary.Mean), Micro(summary.P50.Value), Micro(summary.P99.Value),
                    ((double)steps.Reads / summary.TotalCount).ToString("N1", CultureInfo.InvariantCulture)]);
        }

        output.WriteLine(table.ToString($"Steps of CPU time, {machine}"));

        MarkdownTable document = new("lr", ["", "average step, µs"]);
        foreach ((string system, double microseconds) in OfDocument)
        {
            document.Add(system, Micro(microseconds * NanosecondsPerMicrosecond));
        }

        output.WriteLine(document.ToString("Figures in the documentation of Universe.CpuUsage"));
    }

    /// <summary>Returns the operating system, kernel and CPU in one line.</summary>
    public static string DescribeMachine()
    {
        const string CpuInfo = "/proc/cpuinfo";
        string? model = File.Exists(CpuInfo)
            ? File.ReadLines(CpuInfo).FirstOrDefault(line => line.StartsWith("model name", StringComparison.Ordinal))
            : null;
        string name = model?[(model.IndexOf(':', StringComparison.Ordinal) + 1)..].Trim() ?? RuntimeInformation.ProcessArchitecture.ToString();
        return $"{RuntimeInformation.OSDescription}, kernel {Environment.OSVersion.Version}, {name}";
    }

    private static string Micro(double nanoseconds) =>
        (nanoseconds / NanosecondsPerMicrosecond).ToString(nanoseconds < 100 * NanosecondsPerMicrosecond ? "N2" : "N0", CultureInfo.InvariantCulture);
}
