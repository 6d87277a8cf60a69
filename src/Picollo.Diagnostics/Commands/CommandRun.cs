using System.Collections.ObjectModel;
using Picollo.Cpu;
using Picollo.PerfEvent;

namespace Picollo.Diagnostics;

/// <summary>The result of a command: how it ended, and the resources that it used.</summary>
/// <remarks>Immutable and thread-safe.</remarks>
public sealed class CommandRun
{
    internal CommandRun()
    {
    }

    /// <summary>The time from the call that started the program in its process until its end was detected, in nanoseconds of the monotonic
    /// clock.</summary>
    public long ElapsedNanoseconds { get; internal init; }

    /// <summary>The resources used by the command since its start and by the descendants that it waited for (<c>wait4(2)</c>): CPU time,
    /// page faults, block operations, context switches, and the largest resident size of any of them.</summary>
    /// <remarks>All values are available, except those that <see cref="CommandMeter.UnavailableReason"/> lists. An unknown size is
    /// 0.</remarks>
    public ResourceUsage Usage { get; internal init; }

    /// <summary>The exit code as in a shell: the exit code of the command, 0 to 255, or 128 plus the number of the signal that ended
    /// it.</summary>
    public int ExitCode { get; internal init; }

    /// <summary>The system's number of the signal that ended the command; <see langword="null"/> if it exited by itself.</summary>
    public int? TerminationSignal { get; internal init; }

    /// <summary>The counters, in the order in which they were specified.</summary>
    public IReadOnlyList<CommandCounter> Counters { get; internal init; } = [];

    /// <summary>The names of the counters that could not be opened, and the reasons, in the order in which they were specified; empty
    /// unless <see cref="PerfEventCounterSessionFactory.WithOptional"/> was used.</summary>
    public IReadOnlyDictionary<string, MeasurementUnavailableException> UnavailableCounters { get; internal init; } =
        ReadOnlyDictionary<string, MeasurementUnavailableException>.Empty;

    /// <summary>The observed threads, in descending order of their CPU time; empty unless <see cref="CommandMeter.ThreadInterval"/> is set.
    /// Their sum is less than <see cref="Usage"/>, because it does not include threads that lived only between two reads, or the time after
    /// the last read.</summary>
    internal IReadOnlyList<CommandThread> Threads { get; init; } = [];

    /// <summary>Whether an existing process was measured. In this case, <see cref="Usage"/> does not include page faults, block operations
    /// and context switches.</summary>
    internal bool IsAttached { get; init; }

    /// <summary>The value of <see cref="ElapsedNanoseconds"/>, rounded down to 100 ns.</summary>
    public TimeSpan Elapsed => TimeSpan.FromTicks(ElapsedNanoseconds / TimeSpan.NanosecondsPerTick);
}

/// <summary>The value of a counter for a command and all processes that it started, from its first instruction on.</summary>
/// <remarks>Immutable. It does not include later events of descendants that outlive the command.</remarks>
public readonly record struct CommandCounter
{
    internal CommandCounter(string name, ulong value, double? runningShare, bool isTime) =>
        (Name, Value, RunningShare, IsTime) = (name, value, runningShare, isTime);

    /// <summary>The name as specified.</summary>
    public string Name { get; }

    /// <summary>The number of events; for the kernel's clocks (<see cref="IsTime"/>), nanoseconds. If the counter shared the hardware with
    /// others, the value is scaled.</summary>
    public ulong Value { get; }

    /// <summary>The fraction of the command's CPU time in which the counter was active, 0 to 1. Below 1, the value is an estimate.
    /// <see langword="null"/> if it was never active.</summary>
    public double? RunningShare { get; }

    /// <summary>Whether the counter is a clock: <c>task-clock</c>, <c>cpu-clock</c>.</summary>
    public bool IsTime { get; }

    private bool PrintMembers(System.Text.StringBuilder text) =>
        text.Append(CultureInfo.InvariantCulture,
            $"Name = {Name}, Value = {Value}, RunningShare = {RunningShare}, IsTime = {IsTime}").Length > 0;
}

/// <summary>A thread of a command, or of a process that it started, as it was last observed. The name has at most 15 bytes. The CPU time
/// until then is by the scheduler's clock.</summary>
internal readonly record struct CommandThread(int ProcessId, long ThreadId, string Name, long CpuNanoseconds);
