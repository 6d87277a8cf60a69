using System.Runtime.InteropServices;

namespace Picollo.Samples.Tokenizer;

/// <summary>
/// Finds the XML documentation files in the reference packs of an SDK,
/// <c>&lt;dotnet&gt;/packs/*.Ref/&lt;version&gt;/ref/net*/*.xml</c>. They contain tens of megabytes of English text and identifiers, and exist on
/// every machine that can build this sample.
/// </summary>
public static class ReferencePacks
{
    /// <summary>Lists possible <c>dotnet</c> folders: first the host of this process, then folders from the environment.</summary>
    public static IEnumerable<string> CandidateRoots()
    {
        // <root>/shared/Microsoft.NETCore.App/<version>/, unless the program is self-contained.
        for (string? folder = RuntimeEnvironment.GetRuntimeDirectory(); folder is not null; folder = Path.GetDirectoryName(folder))
        {
            yield return folder;
        }

        if (Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") is { Length: > 0 } host && Path.GetDirectoryName(host) is { } hostFolder)
        {
            yield return hostFolder;
        }

        if (Environment.GetEnvironmentVariable("DOTNET_ROOT") is { Length: > 0 } root)
        {
            yield return root;
        }

        foreach (string folder in (Environment.GetEnvironmentVariable("PATH") ?? string.Empty).Split(Path.PathSeparator))
        {
            string dotnet = Path.Combine(folder, OperatingSystem.IsWindows() ? "dotnet.exe" : "dotnet");
            if (File.Exists(dotnet))
            {
                string resolved = File.ResolveLinkTarget(dotnet, returnFinalTarget: true)?.FullName ?? dotnet;
                yield return Path.GetDirectoryName(resolved)!;
            }
        }
    }

    /// <summary>Finds the documentation files of the first root that has any. For each pack, it takes the files of the newest version.</summary>
    /// <returns>The packs folder and the files in a stable order, or <see langword="null"/> if no root has documentation files.</returns>
    public static (string Folder, string[] Files)? Find(IEnumerable<string> roots)
    {
        foreach (string root in roots)
        {
            string packs = Path.Combine(root, "packs");
            if (Directory.Exists(packs))
            {
                string[] files = [.. Directory.EnumerateDirectories(packs, "*.Ref").Order(StringComparer.Ordinal).SelectMany(DocumentationOf)];
                if (files.Length > 0)
                {
                    return (packs, files);
                }
            }
        }

        return null;
    }

    private static IEnumerable<string> DocumentationOf(string pack)
    {
        string? newest = Directory.EnumerateDirectories(pack).MaxBy(folder => VersionOf(Path.GetFileName(folder)));
        string reference = Path.Combine(newest ?? pack, "ref");
        return Directory.Exists(reference)
            ? Directory.EnumerateDirectories(reference, "net*")
                .SelectMany(framework => Directory.EnumerateFiles(framework, "*.xml"))
                .Order(StringComparer.Ordinal)
            : [];
    }

    /// <summary>Parses the version in the name of a folder. A preview is lower than its release, and previews are compared as text.</summary>
    private static (Version Number, bool IsRelease, string Name) VersionOf(string name)
    {
        int dash = name.IndexOf('-', StringComparison.Ordinal);
        bool isVersion = Version.TryParse(dash < 0 ? name : name[..dash], out Version? number);
        return (isVersion ? number! : new Version(0, 0), dash < 0, name);
    }
}
