using System.Runtime.Versioning;
using Microsoft.Win32.SafeHandles;
using Picollo.Interop.Linux;

namespace Picollo.Cli.Shell;

/// <summary>Writes files atomically.</summary>
internal static class OutputFile
{
    /// <summary>Writes a temporary file in the same folder and then renames it. Follows a link to its target. Writes directly to a device
    /// or a pipe.</summary>
    /// <param name="path">The path. An existing file must be writable, and keeps its content if writing fails. On Unix, it keeps its mode,
    /// owner and group; if that is not possible, it is not written.</param>
    public static void Write(string path, Action<Stream> write) => CommandException.OnFile(path, () =>
    {
        string fullPath = Path.GetFullPath(path);
        bool isLink = new FileInfo(fullPath).LinkTarget is not null;
        FileAccessRights? rights = null;
        if (isLink || File.Exists(fullPath))
        {
            // Append mode keeps the existing content of /dev/stdout, and changes nothing until something is written. The system decides
            // whether to follow a link: Linux refuses one that another user has planted (fs.protected_symlinks).
            using FileStream existing = new(fullPath, FileMode.Append, FileAccess.Write, FileShare.ReadWrite, bufferSize: 0);
            string target = isLink ? TargetOf(fullPath, existing.SafeFileHandle) : fullPath;
            if (!existing.CanSeek || IsDevice(fullPath) || IsDevice(target))
            {
                write(existing);
                return path;
            }

            fullPath = target;
            rights = OperatingSystem.IsWindows() ? null : FileAccessRights.Read(existing.SafeFileHandle);
        }

        Replace(fullPath, rights, write);
        return path;
    });

    public static void WriteText(string path, Action<TextWriter> write) => Write(path, stream => WriteText(stream, write));

    public static void WriteText(Stream stream, Action<TextWriter> write)
    {
        using StreamWriter writer = new(stream, new UTF8Encoding(encoderShouldEmitUTF8Identifier: false), leaveOpen: true)
        {
            NewLine = "\n",
        };
        write(writer);
    }

    // The temporary name is unpredictable and the file must not exist, so a planted link is not followed.
    private static void Replace(string fullPath, FileAccessRights? rights, Action<Stream> write)
    {
        string temporaryPath = $"{fullPath}.{Path.GetRandomFileName()}";
        FileStreamOptions options = new() { Mode = FileMode.CreateNew, Access = FileAccess.Write, Share = FileShare.None };
        if (rights is not null && !OperatingSystem.IsWindows())
        {
            options.UnixCreateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite;
        }

        FileStream file = new(temporaryPath, options);
        try
        {
            using (file)
            {
                if (!OperatingSystem.IsWindows())
                {
                    rights?.ApplyTo(file.SafeFileHandle);
                }

                write(file);
            }

            File.Move(temporaryPath, fullPath, overwrite: true);
        }
        catch
        {
            TryDelete(temporaryPath);
            throw;
        }
    }

    // Uses the open file, so that a link that changes in the meantime does not lead to another file.
    private static string TargetOf(string link, SafeFileHandle open) =>
        OperatingSystem.IsLinux() && new FileInfo($"/proc/self/fd/{open.DangerousGetHandle()}").LinkTarget is { } opened
            ? opened
            : File.ResolveLinkTarget(link, returnFinalTarget: true)!.FullName;

    // A failure is ignored because the caller reports the original error.
    private static void TryDelete(string path)
    {
        try
        {
            File.Delete(path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
        }
    }

    // .NET does not distinguish devices from files.
    private static bool IsDevice(string fullPath) =>
        fullPath.StartsWith("/dev/", StringComparison.Ordinal) && !fullPath.StartsWith("/dev/shm/", StringComparison.Ordinal);
}

/// <summary>The mode of a file and, on Linux, its owner and group.</summary>
[UnsupportedOSPlatform("windows")]
internal sealed record FileAccessRights(UnixFileMode Mode, (uint User, uint Group)? Owner)
{
    /// <exception cref="UnauthorizedAccessException">The file belongs to another user, and its owner cannot be determined.</exception>
    public static FileAccessRights Read(SafeFileHandle file)
    {
        FileAccessRights rights = new(File.GetUnixFileMode(file), OwnerOf(file));
        if (rights.Owner is null)
        {
            File.SetUnixFileMode(file, rights.Mode); // no change, but permitted only to the owner and root
        }

        return rights;
    }

    /// <exception cref="IOException">The owner or group differs, and this user is not permitted to set it.</exception>
    public void ApplyTo(SafeFileHandle file)
    {
        if (Owner is { } owner && owner != OwnerOf(file) && LibC.fchown((int)file.DangerousGetHandle(), owner.User, owner.Group) != 0)
        {
            throw new IOException("The owner or group of the existing file cannot be preserved");
        }

        File.SetUnixFileMode(file, Mode); // last: fchown(2) clears some bits
    }

    private static unsafe (uint User, uint Group)? OwnerOf(SafeFileHandle file)
    {
        byte emptyPath = 0;
        return OperatingSystem.IsLinux()
            && LibC.statx((int)file.DangerousGetHandle(), &emptyPath, LibC.AT_EMPTY_PATH, out LibC.FileStatus status) == 0
                ? (status.User, status.Group)
                : null;
    }
}

internal static class InputFile
{
    /// <summary>Reads a file. Returns null if it cannot be read.</summary>
    public static byte[]? TryRead(string path)
    {
        try
        {
            return File.ReadAllBytes(path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }
}
