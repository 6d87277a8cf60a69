namespace Picollo.Samples.Top;

/// <summary>One of the document's experiments.</summary>
/// <param name="Name">The name on the command line.</param>
/// <param name="Summary">A description of the experiment.</param>
/// <param name="Run">Runs the experiment and prints its tables.</param>
public sealed record Experiment(string Name, string Summary, Action<TextWriter> Run)
{
    public static IReadOnlyList<Experiment> All { get; } =
    [
        new("single", "ackermann_single, one thread: half of two CPUs", OneProgram.RunSingle),
        new("multi", "ackermann_multi, many threads: all CPUs", OneProgram.RunMulti),
        new("nice", "time counts as us at niceness -1 and 0, and as ni at 1", NiceStates.Run),
        new("shares", "two ackermann_multi programs with different niceness, in both orders", Shares.Run),
        new("clamp", "niceness 20 and -21 become 19 and -20", Clamping.Run),
        new("migration", "how often a single thread changes its CPU", Migration.Run),
        new("load", "the load average of busy threads", LoadAverages.Run),
    ];
}
