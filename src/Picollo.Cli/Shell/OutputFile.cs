using System.Runtime.Versioning;
using System.Text;
using Microsoft.Win32.SafeHandles;
using Picollo.Interop.Linux;

namespace Picollo.Cli.Shell;

/// <summary>Writes a file as a whole or not at all.</summary>
internal static class OutputFile
{
    /// <summary>Writes a temporary file in the same folder and then renames it. Follows a link to its target. Writes directly to a device
    /// or a pipe.</summary>
    /// <param name="path">The path. An existing file must be writable, and keeps its content if writing fails. On Unix it
    /// keeps its mode, owner and group, or is not written.</param>
    /// <exception cref="CommandException">It cannot be written.</exception>
    public static void Write(string path, Action<Stream> write)
    {
        try
        {
            CommandException.ThrowIfEmpty(path);
            string place = Path.GetFullPath(path);
            bool isLink = new FileInfo(place).LinkTarget is not null;
            FileAccessRights? kept = null;
            if (isLink || File.Exists(place))
            {
                // Appending leaves what /dev/stdout already has, and changes nothing unless it is followed by writing. The system
                // follows a link or refuses to, as where another user has planted it (fs.protected_symlinks of Linux).
                using FileStream there = new(place, FileMode.Append, FileAccess.Write, FileShare.ReadWrite, bufferSize: 0);
                string target = isLink ? TargetOf(place, there.SafeFileHandle) : place;
                if (!there.CanSeek || IsDevice(place) || IsDevice(target))
                {
                    write(there);
                    return;
                }

                place = target;
                kept = OperatingSystem.IsWindows() ? null : FileAccessRights.Of(there.SafeFileHandle);
            }

            Replace(place, kept, write);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw CommandException.OfFile(path, e);
        }
    }

    /// <summary>Writes a file of UTF-8 text.</summary>
    /// <inheritdoc cref="Write(string, Action{Stream})"/>
    public static void WriteText(string path, Action<TextWriter> write) => Write(path, stream => WriteText(stream, write));

    /// <summary>Writes UTF-8 text to a stream that stays open.</summary>
    public static void WriteText(Stream stream, Action<TextWriter> write)
    {
        using StreamWriter writer = new(stream, new UTF8Encoding(encoderShouldEmitUTF8Identifier: false), leaveOpen: true)
        {
            NewLine = "\n",
        };
        write(writer);
    }

    // The temporary name cannot be predicted, and the file must not exist: a planted link is not followed.
    private static void Replace(string place, FileAccessRights? kept, Action<Stream> write)
    {
        string aside = $"{place}.{Path.GetRandomFileName()}";
        FileStreamOptions options = new() { Mode = FileMode.CreateNew, Access = FileAccess.Write, Share = FileShare.None };
        if (kept is not null && !OperatingSystem.IsWindows())
        {
            options.UnixCreateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite;
        }

        FileStream file = new(aside, options);
        try
        {
            using (file)
            {
                if (!OperatingSystem.IsWindows())
                {
                    kept?.ApplyTo(file.SafeFileHandle);
                }

                write(file);
            }

            File.Move(aside, place, overwrite: true);
        }
        catch
        {
            TryDelete(aside);
            throw;
        }
    }

    // Of the file that is open, so that a link which is changed in between names no other one.
    private static string TargetOf(string link, SafeFileHandle open) =>
        OperatingSystem.IsLinux() && new FileInfo($"/proc/self/fd/{open.DangerousGetHandle()}").LinkTarget is { } opened
            ? opened
            : File.ResolveLinkTarget(link, returnFinalTarget: true)!.FullName;

    // Nothing is to be said of it: what failed before is.
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

    // .NET does not distinguish them from files.
    private static bool IsDevice(string place) =>
        place.StartsWith("/dev/", StringComparison.Ordinal) && !place.StartsWith("/dev/shm/", StringComparison.Ordinal);
}

/// <summary>The mode of a file and, on Linux, its owner and group.</summary>
[UnsupportedOSPlatform("windows")]
internal sealed record FileAccessRights(UnixFileMode Mode, (uint User, uint Group)? Owner)
{
    /// <exception cref="UnauthorizedAccessException">The file is another user's, and the system does not tell whose.</exception>
    public static FileAccessRights Of(SafeFileHandle file)
    {
        FileAccessRights rights = new(File.GetUnixFileMode(file), OwnerOf(file));
        if (rights.Owner is null)
        {
            File.SetUnixFileMode(file, rights.Mode); // as it is; permitted to the owner and to root alone
        }

        return rights;
    }

    /// <exception cref="IOException">The owner or the group is another one, and this user may not set it.</exception>
    public void ApplyTo(SafeFileHandle file)
    {
        if (Owner is { } owner && owner != OwnerOf(file) && LibC.fchown((int)file.DangerousGetHandle(), owner.User, owner.Group) != 0)
        {
            throw new IOException("Its owner or group cannot be kept");
        }

        File.SetUnixFileMode(file, Mode); // last: fchown(2) clears some bits
    }

    private static unsafe (uint User, uint Group)? OwnerOf(SafeFileHandle file)
    {
        byte emptyPath = 0;
        return OperatingSystem.IsLinux()
            && LibC.statx_owner((int)file.DangerousGetHandle(), &emptyPath, LibC.AT_EMPTY_PATH, out uint user, out uint group) == 0
                ? (user, group)
                : null;
    }
}
