using Picollo.Cpu;

namespace Picollo.HelperApp.Faults;

internal static class RunQueue
{
    /// <summary>Starts the sources of latency breakdowns on this thread, and prints whether the run queue is one of them, or why not.</summary>
    public static void Print(string name)
    {
        LatencySources.Start(hasLocks: true);
        PrintState(name);
        LatencySources.Stop();
    }

    public static void PrintState(string name) =>
        Findings.Print(name, (LatencySources.States & LatencyStates.RunQueue) != 0 ? "works" : LatencySources.RunQueueFailure);
}
