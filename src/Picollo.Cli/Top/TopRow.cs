using Picollo.Cpu;

namespace Picollo.Cli.Top;

/// <summary>A process, or a thread with what it has of its process.</summary>
/// <param name="Process">The process.</param>
/// <param name="Thread">The thread; null for the process itself.</param>
/// <param name="User">The effective user's name, or number where it has none; "?" where it is not known. Not made fit for a
/// terminal.</param>
internal readonly record struct TopRow(ProcessCpu Process, ThreadCpu? Thread, string User)
{
    public long Id => Thread?.Id ?? Process.Id;

    public string Name => Thread is { } thread ? thread.Name : Process.Name;

    public char? State => Thread is { } thread ? thread.State : Process.State;

    public int? Priority => Thread is { } thread ? thread.Priority : Process.Priority;

    public int? Nice => Thread is { } thread ? thread.Nice : Process.Nice;

    public double? Share => Thread is { } thread ? thread.Share : Process.Share;

    public double? WaitShare => Thread is { } thread ? thread.WaitShare : Process.WaitShare;

    public CpuUsage Usage => Thread is { } thread ? thread.Usage : Process.Usage;
}
