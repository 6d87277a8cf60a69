using System.Security.Cryptography;

namespace Picollo.Fuzz.Tests;

/// <summary>The inputs of previous findings, with a folder per target. They are part of the repository.</summary>
internal static class FuzzFiles
{
    private static readonly string Root = Path.Combine(Repository.Root, "tests", "Picollo.Fuzz.Tests", "Findings");

    public static string[] Of(FuzzTarget target) =>
        Directory.Exists(FolderOf(target)) ? [.. Directory.EnumerateFiles(FolderOf(target)).Order(StringComparer.Ordinal)] : [];

    /// <summary>Returns the target of a file.</summary>
    public static FuzzTarget TargetOf(string path) => FuzzTargets.Named(Path.GetFileName(Path.GetDirectoryName(Path.GetFullPath(path)))!);

    /// <summary>Saves an input.</summary>
    /// <returns>The path in the repository.</returns>
    public static string Keep(FuzzTarget target, byte[] input)
    {
        Directory.CreateDirectory(FolderOf(target));
        string path = Path.Combine(FolderOf(target), Convert.ToHexStringLower(SHA256.HashData(input))[..12]);
        File.WriteAllBytes(path, input);
        return Path.GetRelativePath(Repository.Root, path);
    }

    private static string FolderOf(FuzzTarget target) => Path.Combine(Root, target.Name);
}
