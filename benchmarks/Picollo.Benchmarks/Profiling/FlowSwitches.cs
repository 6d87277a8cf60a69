using Picollo.Cpu;
using Picollo.Profiling.Sampling;

namespace Picollo.Benchmarks.Profiling;

/// <summary>Measures a thread that enters and leaves a watched flow (two switches), with or without a <see cref="FlowRecorder"/>.</summary>
internal sealed class FlowSwitches(string name, bool isRecorded) : Contender(name, operations: 250)
{
    private const int WarmUpRounds = 6;

    private static readonly TimeSpan PauseForCompiler = TimeSpan.FromMilliseconds(250);
    private static readonly ContextCallback Nothing = static _ => { };

    private readonly ExecutionContext _flow = Watch();

    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        for (int i = 0; i < operations; i++)
        {
            ExecutionContext.Run(_flow, Nothing, null);
        }
    }

    /// <summary>Verifies the number of switches. It also runs until the recording code is optimized, because the following warm-up does not
    /// record.</summary>
    public override void Verify()
    {
        for (int i = 0; i < WarmUpRounds; i++)
        {
            using FlowRecorder? recorder = isRecorded ? FlowRecorder.Start() : null;
            Run(Operations);
            int count = recorder is null ? 0 : Read(recorder.TakeAddedLogs().Single());
            Require(count == (isRecorded ? 2 * Operations : 0), $"recorded {count} switches.");
            Thread.Sleep(PauseForCompiler);
        }
    }

    /// <summary>Measures with the reused memory of switches that have already been read, as in a running profile.</summary>
    public override double Measure()
    {
        using FlowRecorder? recorder = isRecorded ? FlowRecorder.Start() : null;
        Run(2 * Operations);
        foreach (FlowLog log in recorder?.TakeAddedLogs() ?? [])
        {
            _ = Read(log);
        }

        return base.Measure();
    }

    private static ExecutionContext Watch()
    {
        ExecutionContext? flow = null;
        ExecutionContext.Run(ExecutionContext.Capture()!, _ =>
        {
            _ = new CpuUsageAsyncWatcher(CpuUsageDetail.TotalOnly);
            flow = ExecutionContext.Capture();
        }, null);
        return flow!;
    }

    private static int Read(FlowLog log)
    {
        int count = 0;
        for (; log.TryPeek(out _); count++)
        {
            log.Remove();
        }

        return count;
    }
}

/// <summary>Measures the time of the profiler's thread for the two switches.</summary>
internal sealed class SwitchReads(string name) : Contender(name, operations: 10_000)
{
    private readonly FlowSwitches _switches = new(name, isRecorded: true);

    /// <summary>Records switches, and reads all of them. Only the reading is measured.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations) => _ = Read(operations);

    public override double Measure() => Read(Operations) / (double)Operations;

    private double Read(int operations)
    {
        using FlowTimeline timeline = new(FlowRecorder.Start());
        _switches.Run(operations);
        timeline.Refresh();
        long start = Stopwatch.GetTimestamp();
        timeline.MoveTo(start);
        return Stopwatch.GetElapsedTime(start).TotalNanoseconds;
    }
}
