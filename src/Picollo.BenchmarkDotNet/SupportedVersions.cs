namespace Picollo.BenchmarkDotNet;

/// <summary>The supported versions of BenchmarkDotNet, as in the package manifest. A project can force another version.</summary>
internal static class SupportedVersions
{
    private static readonly Version First = new(0, 14);
    private static readonly Version FirstUnsupported = new(0, 16); // has different interfaces for diagnosers and engines

    /// <exception cref="NotSupportedException">The version is not supported.</exception>
    public static void Check(Version version)
    {
        if (version < First || version >= FirstUnsupported)
        {
            throw new NotSupportedException(
                $"This version of Picollo.BenchmarkDotNet supports BenchmarkDotNet {First} to 0.15, not {version.ToString(3)}.");
        }
    }

    /// <summary>Returns whether a signal means that an engine has ended, in its own process or in the host process. Compares the name: the
    /// numeric values in this assembly are from BenchmarkDotNet 0.14, and 0.15.0 inserted a signal between them.</summary>
    public static bool IsEnd(Enum signal) => signal.ToString() is "AfterAll" or "AfterProcessExit";
}
