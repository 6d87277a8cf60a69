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
    /// <param name="path">The path. An existing file must be writable, and keeps its content if writing fails. It
    /// keeps its mode, owner and group, or is not written.</param>
    /// <exception cref="CommandException">It cannot be written.</exception>
    public static void Write(string path, Action<Stream> write)
    {
        try
        {
            CommandException.ThrowIfEmpty(path);
            string place = PlaceOf(path);
            FileAccessRights? kept = null;
            if (File.Exists(place))
            {
                // Appending leaves what /dev/stdout already has, and changes nothing unless it is followed by writing.
                using FileStream there = new(place, FileMode.Append, FileAccess.Write, FileShare.ReadWrite, bufferSize: 0);
                if (!there.CanSeek || IsDevice(path) || IsDevice(place))
                {
                    write(there);
                    return;
                }

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
            File.Delete(aside);
            throw;
        }
    }

    // What /dev/stdout links to may have no path.
    private static string PlaceOf(string path) =>
        new FileInfo(path).LinkTarget is null || IsDevice(path)
            ? Path.GetFullPath(path)
            : File.ResolveLinkTarget(path, returnFinalTarget: true)!.FullName;

    // .NET does not distinguish them from files.
    private static bool IsDevice(string place) =>
        place.StartsWith("/dev/", StringComparison.Ordinal) && !place.StartsWith("/dev/shm/", StringComparison.Ordinal);
}

/// <summary>The mode of a file and, on Linux, its owner and group.</summary>
[UnsupportedOSPlatform("windows")]
internal sealed record FileAccessRights(UnixFileMode Mode, (uint User, uint Group)? Owner)
{
    public static FileAccessRights Of(SafeFileHandle file) => new(File.GetUnixFileMode(file), OwnerOf(file));

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
