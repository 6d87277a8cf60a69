using Picollo.Cpu;
using Picollo.Profiling;

namespace Picollo.Samples.Tests.Guides;

/// <summary>The code of docs/profiling.md, except its first program.</summary>
internal static class ProfilingGuide
{
    public static CpuProfile Attach(int id)
    {
        using CpuProfiler profiler = CpuProfiler.Start(new CpuProfilerOptions { ProcessId = id, Frequency = 999 });
        Thread.Sleep(TimeSpan.FromSeconds(10));
        CpuProfile profile = profiler.Stop();
        return profile;
    }

    public static async Task ByFlowAsync()
    {
        using CpuProfiler profiler = CpuProfiler.Start();
        using CpuUsageAsyncWatcher watcher = new();
        await ImportAsync();
        watcher.Stop();
        CpuProfile profile = profiler.Stop();
        Console.WriteLine(profile.FilterBy(watcher));

        foreach (CpuProfile part in profile.SplitByRoute())
        {
            Console.WriteLine($"{part.HttpMethod} {part.Route}: {part.SampleCount} samples");
        }

        static Task ImportAsync() => Task.CompletedTask;
    }

    public static void Compare(CpuProfile after)
    {
        using FileStream file = File.OpenRead("before.pb.gz");
        CpuProfile before = CpuProfile.ReadPprof(file);
        var difference = new CpuProfileDifference(before, after);
        Console.WriteLine(difference);

        using StreamWriter page = new("diff.html");
        difference.WriteHtml(page);
    }
}
