namespace Picollo.Platform.Tests;

/// <summary>Publishes programs of this repository with their runtime.</summary>
internal static class Publishing
{
    // They restore the same projects, each for its own platform.
    private static readonly Lock One = new();

    // bin/Release/net10.0
    private static readonly string Configuration = new DirectoryInfo(AppContext.BaseDirectory).Parent!.Name;

    /// <param name="program">A folder of tests/, which this project references: what it depends on was built with these tests, and is not
    /// built again.</param>
    /// <param name="rid">For which platform.</param>
    /// <param name="output">The folder that is filled.</param>
    /// <param name="switches">What is to be published otherwise.</param>
    public static void SelfContained(string program, string rid, string output, params string[] switches)
    {
        lock (One)
        {
            Tool.Dotnet(Path.Combine(Repository.Root, "tests", program), ["publish", "-c", Configuration, "-r", rid, "--self-contained", "-o", output,
                "-p:BuildProjectReferences=false", "-p:DebugType=none", "-p:AllowedReferenceRelatedFileExtensions=none", .. switches]);
        }
    }
}
