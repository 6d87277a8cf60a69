using BenchmarkDotNet.Attributes;

namespace Picollo.BenchmarkDotNet.Tests.Workloads;

/// <summary>Benchmarks whose calls differ.</summary>
[HdrPercentiles]
public class TailWorkloads
{
    public const int SlowMilliseconds = 5;

    private int _calls;

    [Params("a, b")]
    public string Name { get; set; } = "";

    [Benchmark]
    public void TwoSlowInAHundred()
    {
        if (_calls++ % 100 >= 98)
        {
            Thread.Sleep(SlowMilliseconds);
        }
    }

    [Benchmark(OperationsPerInvoke = 5)]
    public void FiveAtOnce() => Thread.Sleep(SlowMilliseconds);

    [Benchmark]
    [Arguments(1)]
    [Arguments(3)]
    public async Task<int> Awaits(int milliseconds)
    {
        await Task.Delay(milliseconds).ConfigureAwait(false);
        return milliseconds;
    }
}

/// <summary>A benchmark with a slow setup and cleanup for each iteration.</summary>
[HdrPercentiles]
public class SetUpWorkloads
{
    public const int SetUpMilliseconds = 100;

    public static List<string> Calls { get; } = [];

    [IterationSetup]
    public void SetUp()
    {
        Calls.Add(nameof(SetUp));
        Thread.Sleep(SetUpMilliseconds);
    }

    [Benchmark]
    public void Work()
    {
        Calls.Add(nameof(Work));
        Thread.Sleep(1);
    }

    [IterationCleanup]
    public void CleanUp()
    {
        Calls.Add(nameof(CleanUp));
        Thread.Sleep(SetUpMilliseconds / 10);
    }
}

/// <summary>A benchmark whose name contains separators of log fields and lines, and control characters.</summary>
[HdrPercentiles]
public class DescribedWorkload
{
    [Benchmark(Description = "a,b\n\u0001\u001b]0;c")]
    public void Work()
    {
    }
}
