using Picollo.Cpu;
using Picollo.PerfEvent;

namespace Picollo.Diagnostics;

/// <summary>How a command ended, and what it took.</summary>
/// <remarks>Immutable and thread-safe.</remarks>
public sealed class CommandRun
{
    internal CommandRun()
    {
    }

    /// <summary>From the call that made the process this program to the moment at which its end was seen, in nanoseconds of the
    /// monotonic clock.</summary>
    public long ElapsedNanoseconds { get; internal init; }

    /// <summary>What the command took from that call on, with those of its descendants that it waited for (<c>wait4(2)</c>): CPU time, page
    /// faults, block operations, context switches, and the largest resident size that any one of them had.</summary>
    /// <remarks>All of it is known, except what <see cref="CommandMeter.UnavailableReason"/> names; an unknown size is 0.</remarks>
    public ResourceUsage Usage { get; internal init; }

    /// <summary>As a shell has it: what the command ended with, 0 to 255, or 128 and the number of the signal that ended it.</summary>
    public int ExitCode { get; internal init; }

    /// <summary>The signal that ended it; null if it ended by itself.</summary>
    public int? Signal { get; internal init; }

    /// <summary>The counters, in the order in which they were named.</summary>
    public IReadOnlyList<CommandCounter> Counters { get; internal init; } = [];

    /// <summary>Counters that could not be opened, and why; empty unless they were asked for with
    /// <see cref="PerfEventCounterSessionFactory.WithOptional"/>.</summary>
    public IReadOnlyList<UnavailablePerfCounter> UnavailableCounters { get; internal init; } = [];

    /// <summary>The threads that were seen, in the order of their CPU time, most first; empty unless
    /// <see cref="CommandMeter.ThreadInterval"/> is set. What they have less than <see cref="Usage"/> together is of threads that came
    /// and went between two looks, and of what threads did after the last one.</summary>
    internal IReadOnlyList<CommandThread> Threads { get; init; } = [];

    /// <summary>Whether it is a part of the life of a process that ran already, of which faults, block operations and context switches are
    /// not in <see cref="Usage"/>.</summary>
    internal bool IsAttached { get; init; }

    /// <summary><see cref="ElapsedNanoseconds"/>, cut to 100 ns.</summary>
    public TimeSpan Elapsed => TimeSpan.FromTicks(ElapsedNanoseconds / TimeSpan.NanosecondsPerTick);
}

/// <summary>What one counter counted of a command and all that it started, from its first instruction on.</summary>
/// <remarks>Immutable. What descendants that live on count later is not in it.</remarks>
public readonly record struct CommandCounter
{
    internal CommandCounter(string name, ulong value, double? runningShare, bool isTime) =>
        (Name, Value, RunningShare, IsTime) = (name, value, runningShare, isTime);

    /// <summary>As it was asked for.</summary>
    public string Name { get; }

    /// <summary>Events; of the kernel's clocks (<see cref="IsTime"/>) nanoseconds. Scaled where the counter took turns with
    /// others.</summary>
    public ulong Value { get; }

    /// <summary>For how much of the command's CPU time it did count, 0 to 1: below 1 the value is an estimate. Null where it was never
    /// on.</summary>
    public double? RunningShare { get; }

    /// <summary>Whether it is a clock: <c>task-clock</c>, <c>cpu-clock</c>.</summary>
    public bool IsTime { get; }

    private bool PrintMembers(System.Text.StringBuilder text) =>
        text.Append(CultureInfo.InvariantCulture,
            $"Name = {Name}, Value = {Value}, RunningShare = {RunningShare}, IsTime = {IsTime}").Length > 0;
}

/// <summary>A thread of a command, as it was when it was last seen.</summary>
/// <param name="ProcessId">Its process: the command's own, or one that it started.</param>
/// <param name="ThreadId">Its id; a process's first thread has the process's.</param>
/// <param name="Name">What it calls itself, 15 bytes at most.</param>
/// <param name="CpuNanoseconds">CPU time up to then, by the scheduler's clock.</param>
internal readonly record struct CommandThread(int ProcessId, long ThreadId, string Name, long CpuNanoseconds);
