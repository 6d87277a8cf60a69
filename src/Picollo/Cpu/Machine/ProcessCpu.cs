namespace Picollo.Cpu;

/// <summary>A process as a sample of <see cref="SystemCpu"/> found it, and its share of CPU time since the sample before.</summary>
/// <remarks>What the system does not tell is null. Immutable; does not follow the process.</remarks>
public readonly record struct ProcessCpu
{
    /// <summary>The process's id. Ids are used again; between samples a process is recognised by its start as well.</summary>
    public int Id { get; internal init; }

    /// <summary>The name as the system has it. Linux gives the first 15 bytes of the main thread's name, any bytes but NUL:
    /// they are decoded from UTF-8, U+FFFD standing for what is none, and are not made fit for a terminal. Windows gives the
    /// program's file name (none for a few of its own), macOS the first 31 bytes of the program's name.</summary>
    public string Name { get; internal init; }

    /// <summary>What the process does, by the system's letter. On Linux, of the main thread: R running or waiting for a CPU,
    /// S sleeping, D waiting for a disk, I idle (of the kernel), T stopped, t stopped by a debugger, Z ended and not waited
    /// for, X dead. On Windows and macOS the same letters for what comes nearest, R where any thread is running or waiting for a
    /// CPU.</summary>
    public char? State { get; internal init; }

    /// <summary>The niceness, -20 (least nice) to 19; null on Windows.</summary>
    public int? Nice { get; internal init; }

    /// <summary>The priority in the system's own numbers. On Linux as <c>top</c> shows it: 20 + nice, below 0 for real-time
    /// threads; on Windows the base priority, 0 to 31; on macOS the task's.</summary>
    public int? Priority { get; internal init; }

    /// <summary>CPU time taken between the last two samples over the time between them: 1 is one CPU full. All of its time
    /// counts for a process that began since. Linux counts what runs at the scheduler's ticks, every 1 to 10 ms: between samples a few
    /// milliseconds apart the share may exceed the number of CPUs. Null before the first <see cref="SystemCpu.Update"/>, and where
    /// the process existed at the previous sample but could not be read.</summary>
    public double? Share { get; internal init; }

    /// <summary>The time that its threads were runnable and did not run, for others ran on their CPU or their cgroup was throttled,
    /// between the last two samples over the time between them: of several threads the sum, which may be above 1. Threads that began
    /// since count from their beginning; those that ended since do not count. A wait counts when it is over: one that was longer than
    /// the time between the samples makes a share above 1. Null where <see cref="Share"/> is, without
    /// <see cref="SystemCpuParts.All"/>, and for a process with a thread whose wait could not be read. Linux: the second number of
    /// schedstat, as pidstat's %wait is of a single thread.</summary>
    public double? WaitShare { get; internal init; }

    /// <summary>The address space in bytes, most of which a .NET process only reserves; 0 for threads of the kernel and for zombies. Null
    /// without <see cref="SystemCpuParts.Memory"/>.</summary>
    public long? VirtualBytes { get; internal init; }

    /// <summary>What of it is in memory, in bytes. Null as <see cref="VirtualBytes"/> is.</summary>
    public long? ResidentBytes { get; internal init; }

    /// <summary>What of <see cref="ResidentBytes"/> is of files or shared memory (in use by others or not). Null as
    /// <see cref="VirtualBytes"/> is, and on other systems than Linux.</summary>
    public long? SharedBytes { get; internal init; }

    /// <summary>The effective user's id, as seen from this process's user namespace; null without
    /// <see cref="SystemCpuParts.All"/>, and on Windows.</summary>
    public uint? UserId { get; internal init; }

    /// <summary>CPU time taken since the process began, ended threads included; on Linux to 10 ms, on Windows to
    /// 15.6 ms.</summary>
    public CpuUsage Usage { get; internal init; }

    /// <summary>How many threads it has.</summary>
    public int? ThreadCount { get; internal init; }

    /// <summary>The CPU that the main thread ran on last. Linux only.</summary>
    public int? LastCpu { get; internal init; }

    /// <summary>The latest moment at which it may have begun, on the clock of <see cref="SystemCpuSample.TimestampNanoseconds"/>: equal
    /// in each sample; together with the ID it identifies a process or thread.</summary>
    internal long StartNanoseconds { get; init; }

    private bool PrintMembers(System.Text.StringBuilder text) =>
        text.Append(CultureInfo.InvariantCulture, $"Id = {Id}, Name = {Name}, State = {State}, Nice = {Nice}, Priority = {Priority}"
            + $", Share = {Share}, WaitShare = {WaitShare}, VirtualBytes = {VirtualBytes}"
            + $", ResidentBytes = {ResidentBytes}, SharedBytes = {SharedBytes}, UserId = {UserId}"
            + $", Usage = {Usage}, ThreadCount = {ThreadCount}, LastCpu = {LastCpu}").Length > 0;
}
