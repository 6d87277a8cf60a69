namespace Picollo.Cpu;

/// <summary>A thread in a sample of <see cref="SystemCpu"/>, and its share of CPU time since the previous sample.</summary>
/// <remarks>A value that the system does not report is <see langword="null"/>. Immutable: later changes of the thread do not affect
/// it.</remarks>
public readonly record struct ThreadCpu
{
    /// <summary>The thread ID, unique in the system. IDs are reused, so threads are matched between samples by ID and start time.</summary>
    public long Id { get; internal init; }

    /// <summary>The ID of its process.</summary>
    public int ProcessId { get; internal init; }

    /// <summary>The name of the thread; see <see cref="ProcessCpu.Name"/>. The name of its process on Windows, and on macOS if the thread
    /// has no name.</summary>
    public string Name { get; internal init; }

    /// <summary>The state of the thread; see <see cref="ProcessCpu.State"/>.</summary>
    public char? State { get; internal init; }

    /// <inheritdoc cref="ProcessCpu.Nice"/>
    public int? Nice { get; internal init; }

    /// <inheritdoc cref="ProcessCpu.Priority"/>
    public int? Priority { get; internal init; }

    /// <summary>The CPU time used between the last two samples, divided by the time between them: 1 means one full CPU. If the samples are
    /// a few milliseconds apart, it is as imprecise as <see cref="ProcessCpu.Share"/>. <see langword="null"/> under the same conditions as
    /// <see cref="ProcessCpu.Share"/>, and on macOS, which does not report the start of a thread, for a thread that is not in the previous
    /// sample.</summary>
    public double? Share { get; internal init; }

    /// <summary>The time between the last two samples in which the thread was runnable but did not run, because another thread ran or the
    /// cgroup was throttled, divided by the time between the samples. A wait counts when it ends, as in <see cref="ProcessCpu.WaitShare"/>.
    /// <see langword="null"/> if <see cref="Share"/> is <see langword="null"/>, without <see cref="SystemCpuParts.Waits"/>, and for a
    /// thread that has never run. Linux only.</summary>
    public double? WaitShare { get; internal init; }

    /// <summary>The CPU time used since the start of the thread, with a resolution of 10 ms on Linux and 15.6 ms on Windows.</summary>
    public CpuUsage Usage { get; internal init; }

    /// <summary>The CPU on which the thread last ran. Linux only.</summary>
    public int? LastCpu { get; internal init; }

    private bool PrintMembers(System.Text.StringBuilder text) =>
        text.Append(CultureInfo.InvariantCulture, $"Id = {Id}, ProcessId = {ProcessId}, Name = {Name}, State = {State}, Nice = {Nice}"
            + $", Priority = {Priority}, Share = {Share}, WaitShare = {WaitShare}, Usage = {Usage}"
            + $", LastCpu = {LastCpu}").Length > 0;
}
