using BenchmarkDotNet.Running;
using Picollo.Benchmarks.AspNet;
using Picollo.Benchmarks.Cpu;
using Picollo.Benchmarks.Encoding;
using Picollo.Benchmarks.Export;
using Picollo.Benchmarks.Histogram;
using Picollo.Benchmarks.Jitter;
using Picollo.Benchmarks.Latency;
using Picollo.Benchmarks.Meters;
using Picollo.Benchmarks.Perf;
using Picollo.Benchmarks.Profiling;
using Picollo.Benchmarks.Runtime;
using Picollo.Benchmarks.Scheduling;
using Picollo.Benchmarks.Spans;

Dictionary<string, Func<TextWriter, int>> comparisons = new()
{
    [HistogramComparison.Name] = HistogramComparison.Run,
    [CpuComparison.Name] = CpuComparison.Run,
    [PerfComparison.Name] = PerfComparison.Run,
    [EncodingComparison.Name] = EncodingComparison.Run,
    [SchedulingComparison.Name] = SchedulingComparison.Run,
    [AspNetComparison.Name] = AspNetComparison.Run,
    [JitterComparison.Name] = JitterComparison.Run,
    [RuntimeComparison.Name] = RuntimeComparison.Run,
    [MeterComparison.Name] = MeterComparison.Run,
    [SpanComparison.Name] = SpanComparison.Run,
    [ExportComparison.Name] = ExportComparison.Run,
    [ProfilerComparison.Name] = ProfilerComparison.Run,
    [RequestProfileComparison.Name] = RequestProfileComparison.Run,
    [BreakdownComparison.Name] = BreakdownComparison.Run,
};

switch (args)
{
    // Command lines with which comparisons start this program as a child process.
    case ["compare", HistogramComparison.Name, HistogramComparison.FiguresOnly]:
        return HistogramComparison.PrintFigures(Console.Out);
    case ["compare", AspNetComparison.Name, AspNetComparison.Serve, var kind] when HelloServer.Kinds.ContainsKey(kind):
        return HelloServer.Run(Console.Out, kind);

    case ["compare"]:
        return HistogramComparison.Run(Console.Out);
    case ["compare", var name] when comparisons.TryGetValue(name, out Func<TextWriter, int>? comparison):
        return comparison(Console.Out);
    case ["compare", .. var names]:
        Console.Error.WriteLine($"error: unknown comparison '{string.Join(' ', names)}'. The comparisons are: {string.Join(", ", comparisons.Keys)}");
        return 1;
    default:
        BenchmarkSwitcher.FromAssembly(typeof(HistogramComparison).Assembly).Run(args);
        return 0;
}
