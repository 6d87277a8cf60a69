namespace Picollo.BenchmarkDotNet.Measuring;

/// <summary>Compares signals by name: the numeric values in this assembly are from BenchmarkDotNet 0.14, and 0.15.0 inserted a signal
/// between them.</summary>
internal static class RunSignals
{
    /// <summary>Returns whether a signal means that an engine has ended, in its own process or in the host process.</summary>
    public static bool IsEnd(Enum signal) => signal.ToString() is "AfterAll" or "AfterProcessExit";
}
