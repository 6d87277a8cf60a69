using Picollo.Benchmarks.AspNet;
using Picollo.Benchmarks.Cpu;
using Picollo.Benchmarks.Encoding;
using Picollo.Benchmarks.Histogram;
using Picollo.Benchmarks.Jitter;
using Picollo.Benchmarks.Perf;
using Picollo.Benchmarks.Scheduling;

namespace Picollo.Benchmarks;

/// <summary>The verb <c>compare [name]</c>: a quick side-by-side comparison of one area.</summary>
internal static class CompareCommand
{
    private static readonly Dictionary<string, Func<TextWriter, int>> Comparisons = new()
    {
        [HistogramComparison.Name] = HistogramComparison.Run,
        [CpuComparison.Name] = CpuComparison.Run,
        [PerfComparison.Name] = PerfComparison.Run,
        [EncodingComparison.Name] = EncodingComparison.Run,
        [SchedulingComparison.Name] = SchedulingComparison.Run,
        [AspNetComparison.Name] = AspNetComparison.Run,
        [JitterComparison.Name] = JitterComparison.Run,
    };

    public static int Run(string[] arguments)
    {
        switch (arguments)
        {
            // What comparisons start this program for themselves with.
            case [HistogramComparison.Name, HistogramComparison.FiguresOnly]:
                return HistogramComparison.PrintFigures(Console.Out);
            case [AspNetComparison.Name, AspNetComparison.Serve, var kind] when HelloServer.Kinds.ContainsKey(kind):
                return HelloServer.Run(Console.Out, kind);

            case []:
                return HistogramComparison.Run(Console.Out);
            case [var name] when Comparisons.TryGetValue(name, out Func<TextWriter, int>? comparison):
                return comparison(Console.Out);
            default:
                Console.Error.WriteLine($"error: no comparison '{string.Join(' ', arguments)}'; there are: {string.Join(", ", Comparisons.Keys)}");
                return 1;
        }
    }
}
