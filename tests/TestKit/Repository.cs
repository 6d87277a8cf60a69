using System.Reflection;

namespace Picollo.TestKit;

internal static class Repository
{
    /// <summary>The folder with Picollo.sln at the time when these tests were built.</summary>
    public static string Root { get; } = typeof(Repository).Assembly
        .GetCustomAttributes<AssemblyMetadataAttribute>()
        .Single(metadata => metadata.Key == "RepositoryRoot").Value!;

    /// <summary>Whether the native shim for a platform was built, here or by an earlier step.</summary>
    public static bool HasShim(string rid) =>
        Directory.Exists(Path.Combine(Root, "native", "out", rid))
        && Directory.EnumerateFiles(Path.Combine(Root, "native", "out", rid), "*picollo_native.*").Any();
}
