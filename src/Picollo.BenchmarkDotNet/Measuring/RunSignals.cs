namespace Picollo.BenchmarkDotNet.Measuring;

/// <summary>Reads signals by their names: the numbers compiled into this assembly are those of BenchmarkDotNet 0.14, and 0.15.0 has
/// inserted one among them.</summary>
internal static class RunSignals
{
    /// <summary>Whether an engine has ended, in a process of its own or in the host's.</summary>
    public static bool IsEnd(Enum signal) => signal.ToString() is "AfterAll" or "AfterProcessExit";
}
