using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Running;
using Picollo.BenchmarkDotNet;
using Picollo.PerfEvent;
using Picollo.Samples.Benchmarks;

namespace Picollo.Samples.Tests.Guides;

/// <summary>The code of docs/benchmarkdotnet.md that is not in samples/Benchmarks.</summary>
internal static class BenchmarkDotNetGuide
{
    public static void Run(string[] args)
    {
        BenchmarkRunner.Run<Aggregation>(args: args);
    }

    public static IConfig Config()
    {
        IConfig config = DefaultConfig.Instance.AddPicollo(
            PerfHardwareCounterId.Instructions, PerfSoftwareCounterId.PageFaults, PicolloMeasure.CpuUsage, PicolloMeasure.HdrPercentiles);

        return config;
    }
}
