using System.Reflection;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Microsoft.Win32.SafeHandles;
using Picollo.Interop.Linux;
using Picollo.Profiling.Symbols.Files;

namespace Picollo.Cli.Run;

/// <summary>The files of the startup hook. They are in the tool, and are written to a folder that only the caller can change: another user
/// who could change them would run code in the caller's applications.</summary>
internal static class HookFiles
{
    private const string Prefix = "hook";
    private const string Hook = "Picollo.Hook.dll";

    private const UnixFileMode OnlyOwner = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute;

    /// <summary>Writes the files, unless they exist with the same content, and returns the path of the hook.</summary>
    public static string Extract()
    {
        // The ID of the tool's module depends on the files in it.
        Assembly tool = typeof(HookFiles).Assembly;
        string folder = Path.Combine(ParentFolder(), $"hook-{tool.ManifestModule.ModuleVersionId:N}");
        if (!OperatingSystem.IsWindows() && folder.Contains(Path.PathSeparator))
        {
            throw new CommandException($"{folder}: .NET loads no startup hook from a directory whose name contains '{Path.PathSeparator}'");
        }

        try
        {
            folder = Create(folder);
            foreach (string resource in tool.GetManifestResourceNames())
            {
                if (NameOf(resource) is { } name)
                {
                    Write(Path.Combine(folder, name), ReadAll(tool, resource));
                }
            }
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new CommandException(
                $"{folder}: {CommandException.FileProblemOf(e)}; the files of the startup hook are written there, or below XDG_DATA_HOME");
        }

        return Path.Combine(folder, Hook);
    }

    private static string ParentFolder()
    {
        string data = Environment.GetFolderPath(
            Environment.SpecialFolder.LocalApplicationData, Environment.SpecialFolderOption.DoNotVerify);
        return data.Length > 0 ? Path.Combine(data, "picollo") : Path.Combine(Path.GetTempPath(), $"picollo-{Environment.UserName}");
    }

    /// <summary>Returns the file of a resource: an assembly, or the native library of this system. Null for others.</summary>
    private static string? NameOf(string resource)
    {
        string[] parts = resource.Split('/');
        string system = OperatingSystem.IsWindows() ? "win" : OperatingSystem.IsMacOS() ? "osx" : "linux";
        string platform = $"{system}-{RuntimeInformation.ProcessArchitecture}";
        return parts switch
        {
            [Prefix, var name] => name,
            [Prefix, var other, var name] when other.Equals(platform, StringComparison.OrdinalIgnoreCase) => name,
            _ => null,
        };
    }

    private static void Write(string path, byte[] content)
    {
        if (!File.Exists(path) || new FileInfo(path).LinkTarget is not null || !File.ReadAllBytes(path).AsSpan().SequenceEqual(content))
        {
            string created = $"{path}.{Environment.ProcessId}";
            File.WriteAllBytes(created, content);
            File.Move(created, path, overwrite: true); // an application may use the old file
        }
    }

    private static byte[] ReadAll(Assembly tool, string resource)
    {
        using Stream stream = tool.GetManifestResourceStream(resource)!;
        byte[] content = new byte[stream.Length];
        stream.ReadExactly(content);
        return content;
    }

    /// <summary>Creates a folder and returns its path without links.</summary>
    /// <exception cref="CommandException">Another user could change the folder or replace one that contains it.</exception>
    private static string Create(string folder)
    {
        if (!OperatingSystem.IsLinux())
        {
            // In the profile of the user, which others cannot change.
            DirectoryInfo created = OperatingSystem.IsWindows()
                ? Directory.CreateDirectory(folder)
                : Directory.CreateDirectory(folder, OnlyOwner);
            return created.FullName;
        }

        CreateForOwner(new DirectoryInfo(folder));
        using SafeFileHandle opened = new(LibC.openat(LibC.AT_FDCWD, folder, LibC.O_DIRECTORY | LibC.O_CLOEXEC), ownsHandle: true);
        string real = new FileInfo($"/proc/self/fd/{opened.DangerousGetHandle()}").LinkTarget ?? folder;
        for (DirectoryInfo? parent = new(real); parent is not null; parent = parent.Parent)
        {
            if (CanBeChangedByOthers(parent))
            {
                throw new CommandException(
                    $"{real}: other users can change {parent.FullName}, so that they could run code in your applications; "
                    + "set XDG_DATA_HOME to a directory that is only yours");
            }
        }

        return real;
    }

    /// <summary>Creates a directory and those that contain it. With a umask of 0, others could change those that .NET creates.</summary>
    [UnsupportedOSPlatform("windows")]
    private static void CreateForOwner(DirectoryInfo directory)
    {
        if (!directory.Exists)
        {
            CreateForOwner(directory.Parent!);
            Directory.CreateDirectory(directory.FullName, OnlyOwner);
        }
    }

    /// <summary>Returns whether other users than this one and root can change the entries of a directory that belong to this
    /// user.</summary>
    [UnsupportedOSPlatform("windows")]
    private static bool CanBeChangedByOthers(DirectoryInfo directory)
    {
        if (ForeignFile.StatusOf(directory.FullName, root: null) is not { } status || (status.User != 0 && status.User != LibC.geteuid()))
        {
            return true;
        }

        // A group with the ID of its user is the user's own.
        UnixFileMode others = UnixFileMode.OtherWrite | (status.Group == status.User ? 0 : UnixFileMode.GroupWrite);
        return (directory.UnixFileMode & others) != 0 && (directory.UnixFileMode & UnixFileMode.StickyBit) == 0;
    }
}
