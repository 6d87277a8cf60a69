namespace Picollo.BenchmarkDotNet;

/// <summary>The versions of BenchmarkDotNet that this package works with, as its manifest says. A project can force another.</summary>
internal static class SupportedVersions
{
    private static readonly Version First = new(0, 14);
    private static readonly Version FirstUnsupported = new(0, 16); // its diagnosers and engines have other interfaces

    /// <exception cref="NotSupportedException">The version is another one.</exception>
    public static void Check(Version version)
    {
        if (version < First || version >= FirstUnsupported)
        {
            throw new NotSupportedException(
                $"This version of Picollo.BenchmarkDotNet works with BenchmarkDotNet {First} to 0.15, not with {version.ToString(3)}.");
        }
    }
}
