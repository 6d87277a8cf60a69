using Picollo.Cpu;
using Picollo.PerfEvent;

namespace Picollo.Diagnostics;

/// <summary>How a command ended, and what it took.</summary>
/// <remarks>Immutable and thread-safe.</remarks>
public sealed class CommandRun
{
    /// <summary>From the call that made the process this program to the moment at which its end was seen, in nanoseconds of the
    /// monotonic clock.</summary>
    public required long ElapsedNanoseconds { get; init; }

    /// <summary>What the command took from that call on, with those of its descendants that it waited for (<c>wait4(2)</c>): CPU time, page
    /// faults, context switches, and the largest resident size that any one of them had.</summary>
    /// <remarks>What <see cref="CommandMeter.UnavailableReason"/> tells apart, all of it is known; the size is 0 where it is not.</remarks>
    public required ResourceUsage Usage { get; init; }

    /// <summary>As a shell has it: what the command ended with, 0 to 255, or 128 and the number of the signal that ended it.</summary>
    public required int ExitCode { get; init; }

    /// <summary>The signal that ended it; null if it ended by itself.</summary>
    public int? Signal { get; init; }

    /// <summary>The counters, in the order in which they were named.</summary>
    public IReadOnlyList<CommandCounter> Counters { get; init; } = [];

    /// <summary>The counters that there are not, and why; empty unless they were asked for with
    /// <see cref="PerfEventCounterSessionFactory.WithOptional"/>.</summary>
    public IReadOnlyList<UnavailablePerfCounter> UnavailableCounters { get; init; } = [];

    /// <summary>The threads that were seen, in the order of their CPU time, most first; empty unless
    /// <see cref="CommandMeter.ThreadInterval"/> is set. What they have less than <see cref="Usage"/> together is of threads that came
    /// and went between two looks, and of what threads did after the last one.</summary>
    public IReadOnlyList<CommandThread> Threads { get; init; } = [];

    /// <summary><see cref="ElapsedNanoseconds"/>, cut to 100 ns.</summary>
    public TimeSpan Elapsed => TimeSpan.FromTicks(ElapsedNanoseconds / TimeSpan.NanosecondsPerTick);
}
