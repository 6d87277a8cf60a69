using Picollo.Benchmarks.AspNet;
using Picollo.Benchmarks.Cpu;
using Picollo.Benchmarks.Encoding;
using Picollo.Benchmarks.Histogram;
using Picollo.Benchmarks.Perf;
using Picollo.Benchmarks.Scheduling;

namespace Picollo.Benchmarks;

/// <summary>The verb <c>compare [name]</c>: a quick side-by-side comparison of one area.</summary>
internal static class CompareCommand
{
    private static readonly Dictionary<string, Func<TextWriter, string[], int>> Comparisons = new()
    {
        [HistogramComparison.Name] = HistogramComparison.Run,
        [CpuComparison.Name] = CpuComparison.Run,
        [PerfComparison.Name] = PerfComparison.Run,
        [EncodingComparison.Name] = EncodingComparison.Run,
        [SchedulingComparison.Name] = SchedulingComparison.Run,
        [AspNetComparison.Name] = AspNetComparison.Run,
    };

    public static int Run(string[] arguments)
    {
        string name = arguments.FirstOrDefault() ?? HistogramComparison.Name;
        if (Comparisons.TryGetValue(name, out Func<TextWriter, string[], int>? comparison))
        {
            return comparison(Console.Out, [.. arguments.Skip(1)]);
        }

        Console.Error.WriteLine($"error: no comparison '{name}'; there are: {string.Join(", ", Comparisons.Keys)}");
        return 1;
    }
}
