namespace Picollo.Platform.Tests;

/// <summary>Publishes programs of this repository with their runtime.</summary>
internal static class Publishing
{
    // Publishing runs sequentially, also in the processes of other stages, because the programs restore the same projects, each for its own
    // platform.
    private static readonly string LockFile = Path.Combine(Repository.Root, "artifacts", "publish.lock");

    // bin/Release/net10.0
    private static readonly string Configuration = new DirectoryInfo(AppContext.BaseDirectory).Parent!.Name;

    /// <param name="program">A folder of tests/ that this project references. Its dependencies were built with these tests and are not
    /// built again.</param>
    /// <param name="rid">The runtime identifier of the platform.</param>
    /// <param name="output">The output folder.</param>
    /// <param name="switches">Additional switches.</param>
    public static void SelfContained(string program, string rid, string output, params string[] switches)
    {
        using (Enter())
        {
            Tool.Dotnet(Path.Combine(Repository.Root, "tests", program), ["publish", "-c", Configuration, "-r", rid, "--self-contained", "-o", output,
                "-p:BuildProjectReferences=false", "-p:DebugType=none", "-p:AllowedReferenceRelatedFileExtensions=none", .. switches]);
        }
    }

    private static FileStream Enter()
    {
        Directory.CreateDirectory(Path.GetDirectoryName(LockFile)!);
        while (true)
        {
            try
            {
                return new(LockFile, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None);
            }
            catch (IOException)
            {
                Thread.Sleep(100); // another thread or process publishes
            }
        }
    }
}
