namespace Picollo.Cpu;

/// <summary>A thread as a sample of <see cref="SystemCpu"/> found it, and its share of CPU time since the sample before.</summary>
/// <remarks>What the system does not tell is null. Immutable; does not follow the thread.</remarks>
public readonly record struct ThreadCpu
{
    /// <summary>The thread's id, unique in the system. Ids are used again; between samples a thread is recognised by its start
    /// as well.</summary>
    public long Id { get; internal init; }

    /// <summary>The id of its process.</summary>
    public int ProcessId { get; internal init; }

    /// <summary>The thread's name; see <see cref="ProcessCpu.Name"/>. On Windows that of its process, as on macOS where it has
    /// none.</summary>
    public string Name { get; internal init; }

    /// <summary>What the thread does; see <see cref="ProcessCpu.State"/>.</summary>
    public char? State { get; internal init; }

    /// <inheritdoc cref="ProcessCpu.Nice"/>
    public int? Nice { get; internal init; }

    /// <inheritdoc cref="ProcessCpu.Priority"/>
    public int? Priority { get; internal init; }

    /// <summary>CPU time taken between the last two samples over the time between them: 1 is one CPU full, and over a few
    /// milliseconds as rough as <see cref="ProcessCpu.Share"/>. Null as
    /// <see cref="ProcessCpu.Share"/> is, and on macOS, which does not tell when a thread began, for one that the sample before did not
    /// have.</summary>
    public double? Share { get; internal init; }

    /// <summary>The time that it was runnable and did not run, for another ran on its CPU or its cgroup was throttled, between the last
    /// two samples over the time between them. A wait counts when it is over, as in <see cref="ProcessCpu.WaitShare"/>. Null where
    /// <see cref="Share"/> is, without <see cref="SystemCpuParts.All"/>, and for a thread that has never run. Linux.</summary>
    public double? WaitShare { get; internal init; }

    /// <summary>CPU time taken since the thread began; on Linux to 10 ms, on Windows to 15.6 ms.</summary>
    public CpuUsage Usage { get; internal init; }

    /// <summary>The CPU that the thread ran on last. Linux only.</summary>
    public int? LastCpu { get; internal init; }

    private bool PrintMembers(System.Text.StringBuilder text) =>
        text.Append(CultureInfo.InvariantCulture, $"Id = {Id}, ProcessId = {ProcessId}, Name = {Name}, State = {State}, Nice = {Nice}"
            + $", Priority = {Priority}, Share = {Share}, WaitShare = {WaitShare}, Usage = {Usage}"
            + $", LastCpu = {LastCpu}").Length > 0;
}
