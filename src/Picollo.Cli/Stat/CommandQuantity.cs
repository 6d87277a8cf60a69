using Picollo.Cpu;
using Picollo.Diagnostics;

namespace Picollo.Cli.Stat;

/// <summary>A value of each run of a command, in addition to its counters.</summary>
/// <param name="Name">The name in JSON, in which counters have the names of <c>perf</c>.</param>
/// <param name="Title">The name in tables.</param>
/// <param name="Unit">The unit of the value.</param>
/// <param name="Of">Returns the value of a run; null if it is unknown.</param>
internal sealed record CommandQuantity(string Name, string Title, CommandUnit Unit, Func<CommandRun, long?> Of)
{
    /// <summary>All quantities, in the order of tables.</summary>
    public static IReadOnlyList<CommandQuantity> All { get; } =
    [
        new("elapsedNanoseconds", "elapsed", CommandUnit.Nanoseconds, run => run.ElapsedNanoseconds),
        new("cpuNanoseconds", "CPU time", CommandUnit.Nanoseconds, run => run.Usage.Cpu.TotalNanoseconds),
        new("userNanoseconds", "user", CommandUnit.Nanoseconds, run => run.Usage.Cpu.UserNanoseconds),
        new("kernelNanoseconds", "kernel", CommandUnit.Nanoseconds, run => run.Usage.Cpu.KernelNanoseconds),
        new("maxResidentBytes", "max resident", CommandUnit.Bytes, run => run.Usage.MaxResidentBytes is > 0 and var bytes ? bytes : null),
        OfCommand("minorPageFaults", "minor page faults", usage => usage.MinorPageFaults),
        OfCommand("majorPageFaults", "major page faults", usage => usage.MajorPageFaults),
        OfCommand("voluntaryContextSwitches", "voluntary switches", usage => usage.VoluntaryContextSwitches),
        OfCommand("involuntaryContextSwitches", "involuntary switches", usage => usage.InvoluntaryContextSwitches),
    ];

    /// <summary>Returns the quantity with a name; null if there is none.</summary>
    public static CommandQuantity? Find(string name) => All.FirstOrDefault(quantity => quantity.Name == name);

    // The values come from wait4(2), which reports only children.
    private static CommandQuantity OfCommand(string name, string title, Func<ResourceUsage, long> of) =>
        new(name, title, CommandUnit.Count, run => run.IsAttached ? null : of(run.Usage));
}
