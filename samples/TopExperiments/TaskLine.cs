using Picollo.Cpu;

namespace Picollo.Samples.Top;

/// <summary>A thread or a process as <c>top</c> has it in a line.</summary>
public sealed record TaskLine(
    long Id, int? Priority, int? Nice, char? State, double? Share, TimeSpan CpuTime, int? LastCpu, string Name)
{
    public static TaskLine Of(ThreadCpu thread) => new(
        thread.Id, thread.Priority, thread.Nice, thread.State, thread.Share, thread.Usage.Total, thread.LastCpu, thread.Name);
}
