using Picollo.PerfEvent;

namespace Picollo.Diagnostics;

/// <summary>What one counter counted of a command and all that it started, from its first instruction on.</summary>
/// <param name="Name">As it was asked for.</param>
/// <param name="Value">Events; of the kernel's clocks (<see cref="IsTime"/>) nanoseconds. Scaled where the counter took turns with
/// others.</param>
/// <param name="RunningShare">For how much of the command's CPU time it did count, 0 to 1: below 1 the value is an estimate. Null where it
/// was never on.</param>
/// <param name="IsTime">Whether it is a clock: <c>task-clock</c>, <c>cpu-clock</c>.</param>
/// <remarks>Immutable. What descendants that live on count later is not in it.</remarks>
public readonly record struct CommandCounter(string Name, ulong Value, double? RunningShare, bool IsTime)
{
    internal static CommandCounter Of(PerfEventCounter counter) =>
        new(counter.Name, counter.Value, counter.RunningShare, counter.Definition.IsClock);
}
