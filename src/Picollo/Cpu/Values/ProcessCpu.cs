namespace Picollo.Cpu;

/// <summary>A process in a sample of <see cref="SystemCpu"/>, and its share of CPU time since the previous sample.</summary>
/// <remarks>A value that the system does not report is <see langword="null"/>. Immutable: later changes of the process do not affect
/// it.</remarks>
public readonly record struct ProcessCpu
{
    /// <summary>The process ID. IDs are reused, so processes are matched between samples by ID and start time.</summary>
    public int Id { get; internal init; }

    /// <summary>The name that the system reports. On Linux, it is the first 15 bytes of the name of the main thread, which may contain any
    /// byte except NUL. They are decoded from UTF-8 with U+FFFD for invalid bytes, and are not sanitized for a terminal. On Windows, it is
    /// the file name of the program (empty for a few system processes). On macOS, it is the first 31 bytes of the program name.</summary>
    public string Name { get; internal init; }

    /// <summary>The state of the process, as a one-letter code. On Linux, it is the state of the main thread: R running or waiting for a
    /// CPU, S sleeping, D waiting for a disk, I idle (kernel threads), T stopped, t stopped by a debugger, Z exited but not yet waited for
    /// (a zombie), X dead. On Windows and macOS, it is the closest of these letters; R if any thread is running or waiting for a
    /// CPU.</summary>
    public char? State { get; internal init; }

    /// <summary>The niceness, -20 (highest priority) to 19 (lowest priority); <see langword="null"/> on Windows.</summary>
    public int? Nice { get; internal init; }

    /// <summary>The priority on the scale of the system: on Linux, as in <c>top</c>, 20 + nice, and below 0 for real-time threads; on
    /// Windows the base priority, 0 to 31; on macOS the priority of the task.</summary>
    public int? Priority { get; internal init; }

    /// <summary>The CPU time used between the last two samples, divided by the time between them: 1 means one full CPU. If a process
    /// started after the previous sample, all of its time counts. Linux accounts running threads at scheduler ticks, every 1 to 10 ms, so
    /// the share may exceed the number of CPUs if the samples are a few milliseconds apart. <see langword="null"/> before the first
    /// <see cref="SystemCpu.Update"/>, and if the process existed at the previous sample but could not be read.</summary>
    public double? Share { get; internal init; }

    /// <summary>The time between the last two samples in which its threads were runnable but did not run, because other threads ran or the
    /// cgroup was throttled, divided by the time between the samples. It is a sum over threads, so it may exceed 1. Threads that started
    /// since the previous sample count from their start; those that ended do not count. A wait counts when it ends, so a wait longer than
    /// the time between the samples also results in a share above 1. <see langword="null"/> if <see cref="Share"/> is
    /// <see langword="null"/>, without <see cref="SystemCpuParts.Waits"/>, and for a process with a thread whose wait could not be read.
    /// Linux only: the second number of schedstat, from which pidstat computes %wait for a single thread.</summary>
    public double? WaitShare { get; internal init; }

    /// <summary>The size of the address space in bytes, most of which a .NET process only reserves; 0 for kernel threads and zombies.
    /// <see langword="null"/> without <see cref="SystemCpuParts.Memory"/>.</summary>
    public long? VirtualBytes { get; internal init; }

    /// <summary>The part of <see cref="VirtualBytes"/> that is in memory, in bytes; <see langword="null"/> if <see cref="VirtualBytes"/> is
    /// <see langword="null"/>.</summary>
    public long? ResidentBytes { get; internal init; }

    /// <summary>The part of <see cref="ResidentBytes"/> that belongs to files or shared memory (even if no other process uses it);
    /// <see langword="null"/> if <see cref="VirtualBytes"/> is <see langword="null"/>, and on systems other than Linux.</summary>
    public long? SharedBytes { get; internal init; }

    /// <summary>The ID of the effective user, as seen from the user namespace of this process; <see langword="null"/> without
    /// <see cref="SystemCpuParts.Owners"/>, and on Windows.</summary>
    public uint? UserId { get; internal init; }

    /// <summary>The CPU time used since the start of the process, including ended threads, with a resolution of 10 ms on Linux and 15.6 ms
    /// on Windows.</summary>
    public CpuUsage Usage { get; internal init; }

    /// <summary>The number of threads.</summary>
    public int? ThreadCount { get; internal init; }

    /// <summary>The CPU on which the main thread last ran. Linux only.</summary>
    public int? LastCpu { get; internal init; }

    /// <summary>The latest possible start time, on the clock of <see cref="SystemCpuSample.TimestampNanoseconds"/>. It is the same in each
    /// sample. Together with the ID, it identifies a process or thread.</summary>
    internal long StartNanoseconds { get; init; }

    private bool PrintMembers(System.Text.StringBuilder text) =>
        text.Append(CultureInfo.InvariantCulture, $"Id = {Id}, Name = {Name}, State = {State}, Nice = {Nice}, Priority = {Priority}"
            + $", Share = {Share}, WaitShare = {WaitShare}, VirtualBytes = {VirtualBytes}"
            + $", ResidentBytes = {ResidentBytes}, SharedBytes = {SharedBytes}, UserId = {UserId}"
            + $", Usage = {Usage}, ThreadCount = {ThreadCount}, LastCpu = {LastCpu}").Length > 0;
}
