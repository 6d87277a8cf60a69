using Picollo.Cpu;

namespace Picollo.Diagnostics;

/// <summary>A value that each run of a command has, besides its counters.</summary>
/// <param name="Name">In JSON, where counters have the name that <c>perf</c> gives them.</param>
/// <param name="Title">In tables.</param>
/// <param name="Unit">Of the value.</param>
/// <param name="Of">The value of a run; null if it is not known.</param>
internal sealed record CommandQuantity(string Name, string Title, CommandUnit Unit, Func<CommandRun, long?> Of)
{
    /// <summary>In the order of tables.</summary>
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

    /// <summary>The quantity of that name; null if there is none.</summary>
    public static CommandQuantity? Find(string name) => All.FirstOrDefault(quantity => quantity.Name == name);

    // wait4(2) tells them, which is of children.
    private static CommandQuantity OfCommand(string name, string title, Func<ResourceUsage, long> of) =>
        new(name, title, CommandUnit.Count, run => run.IsAttached ? null : of(run.Usage));
}
