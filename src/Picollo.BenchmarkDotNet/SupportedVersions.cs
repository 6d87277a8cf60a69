namespace Picollo.BenchmarkDotNet;

/// <summary>The supported versions of BenchmarkDotNet, as in the package manifest. A project can force another version.</summary>
internal static class SupportedVersions
{
    private static readonly Version First = new(0, 14);
    private static readonly Version FirstUnsupported = new(0, 16); // has different interfaces for diagnosers and engines

    /// <summary>Checks a version.</summary>
    /// <exception cref="NotSupportedException">The version is not supported.</exception>
    public static void Check(Version version)
    {
        if (version < First || version >= FirstUnsupported)
        {
            throw new NotSupportedException(
                $"This version of Picollo.BenchmarkDotNet supports BenchmarkDotNet {First} to 0.15, not {version.ToString(3)}.");
        }
    }
}
