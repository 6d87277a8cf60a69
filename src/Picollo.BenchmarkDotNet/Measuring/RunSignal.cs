namespace Picollo.BenchmarkDotNet.Measuring;

/// <summary>What a signal of BenchmarkDotNet's host means for measuring.</summary>
internal enum RunSignal
{
    /// <summary>Nothing.</summary>
    Other,

    /// <summary>The process of a benchmark will start.</summary>
    BeforeProcess,

    /// <summary>An engine begins, in a process of its own or in the host's.</summary>
    Begin,

    /// <summary>The engine has ended.</summary>
    End,
}

/// <summary>Reads signals by their names: the numbers compiled into this assembly are those of BenchmarkDotNet 0.14, and 0.15.0 has
/// inserted one among them.</summary>
internal static class RunSignals
{
    public static RunSignal Of(Enum signal) => signal.ToString() switch
    {
        "BeforeProcessStart" => RunSignal.BeforeProcess,
        "BeforeAnythingElse" => RunSignal.Begin,
        "AfterAll" or "AfterProcessExit" => RunSignal.End,
        _ => RunSignal.Other,
    };
}
