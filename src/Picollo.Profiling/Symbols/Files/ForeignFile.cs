using Microsoft.Win32.SafeHandles;
using Picollo.Interop.Linux;
using static Picollo.Interop.Linux.LibC;

namespace Picollo.Profiling.Symbols.Files;

/// <summary>The files that a profiled process uses. Its user controls their type, content and size, and the links to them.</summary>
/// <remarks>A file is first found without opening it (<c>O_PATH</c>), because opening a pipe waits for its writer, and opening a device can
/// have effects. Then the file that was found is checked and opened, even if its path refers to another file in the meantime. The root of
/// the paths is <c>/proc/PID/root</c> for a process in a container: links do not leave it. Null is the root of this process.</remarks>
internal static class ForeignFile
{
    /// <summary>Opens a regular file for reading, and follows links.</summary>
    /// <exception cref="IOException">The file cannot be opened, or is not a regular file.</exception>
    public static SafeFileHandle Open(string path, string? root = null)
    {
        if (!OperatingSystem.IsLinux())
        {
            return File.OpenHandle(path); // only in tests: there are no profiles of processes
        }

        using SafeFileHandle found = Find(path, root);
        return OpenFound(found);
    }

    /// <summary>Returns the status of a file; null if there is none.</summary>
    public static FileStatus? StatusOf(string path, string? root)
    {
        using SafeFileHandle found = Find(path, root);
        return StatusOf(found);
    }

    /// <summary>Returns the status of a found or open file; null if there is none.</summary>
    public static FileStatus? StatusOf(SafeFileHandle file) => StatusOf(file, "", AT_EMPTY_PATH);

    /// <summary>Finds a file, and follows links. The result is only a reference, and is invalid if there is no such file.</summary>
    public static SafeFileHandle Find(string path, string? root)
    {
        if (root is null)
        {
            return new SafeFileHandle(openat(AT_FDCWD, path, O_PATH | O_CLOEXEC), ownsHandle: true);
        }

        using SafeFileHandle folder = new(openat(AT_FDCWD, root, O_PATH | O_DIRECTORY | O_CLOEXEC), ownsHandle: true);
        int file = OpenInRoot(folder, path);

        // Before Linux 5.6, or if a filter refuses the call, paths with links are refused.
        return file < 0 && Marshal.GetLastPInvokeError() is Errno.ENOSYS or Errno.EPERM
            ? FindWithoutLinks(path, root)
            : new SafeFileHandle(file, ownsHandle: true);
    }

    /// <summary>Deletes a file, if its path contains no links and refers to the given file of the given user. Otherwise does
    /// nothing.</summary>
    public static void Delete(string path, string? root, SafeFileHandle file, uint? user)
    {
        using SafeFileHandle folder = FindWithoutLinks(Path.GetDirectoryName(path) ?? "", root ?? "/");
        string name = Path.GetFileName(path);
        if (StatusOf(folder, name, AT_SYMLINK_NOFOLLOW) is { } entry && StatusOf(file) is { } opened
            && (entry.Device, entry.Inode, entry.User) == (opened.Device, opened.Inode, user))
        {
            // A user who may not delete the file has not profiled the process either.
            _ = unlinkat((int)folder.DangerousGetHandle(), name, 0);
        }
    }

    internal static SafeFileHandle FindWithoutLinks(string path, string root)
    {
        var found = new SafeFileHandle(openat(AT_FDCWD, root, O_PATH | O_DIRECTORY | O_CLOEXEC), ownsHandle: true);
        foreach (string name in path.Split('/', StringSplitOptions.RemoveEmptyEntries))
        {
            using SafeFileHandle folder = found;

            // The descriptor of a link is not a folder, so the next name is not found.
            found = new SafeFileHandle(
                name == ".." ? -1 : openat((int)folder.DangerousGetHandle(), name, O_PATH | O_NOFOLLOW | O_CLOEXEC), ownsHandle: true);
        }

        return found;
    }

    /// <summary>Opens the regular file that <see cref="Find"/> has found.</summary>
    /// <exception cref="IOException">It is not a regular file, or cannot be opened.</exception>
    private static SafeFileHandle OpenFound(SafeFileHandle found)
    {
        int error = Marshal.GetLastPInvokeError();
        if (!found.IsInvalid)
        {
            if (StatusOf(found) is not { IsRegular: true })
            {
                throw new IOException("it is not a regular file");
            }

            var file = new SafeFileHandle(openat(AT_FDCWD, PathOf(found), O_RDONLY | O_NONBLOCK | O_CLOEXEC), ownsHandle: true);
            if (!file.IsInvalid)
            {
                return file;
            }

            error = Marshal.GetLastPInvokeError();
        }

        throw new IOException(Marshal.GetPInvokeErrorMessage(error));
    }

    /// <summary>Returns a path by which this process reaches a found file.</summary>
    public static string PathOf(SafeFileHandle found) =>
        string.Create(CultureInfo.InvariantCulture, $"/proc/self/fd/{found.DangerousGetHandle()}");

    private static unsafe int OpenInRoot(SafeFileHandle root, string path)
    {
        // struct open_how: flags, mode, resolve
        ulong* how = stackalloc ulong[] { O_PATH | O_CLOEXEC, 0, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
        fixed (byte* text = Encoding.UTF8.GetBytes(path + "\0"))
        {
            return (int)syscall(SYS_openat2, root.DangerousGetHandle(), (nint)text, (nint)how, 3 * sizeof(ulong), 0);
        }
    }

    private static unsafe FileStatus? StatusOf(SafeFileHandle folder, string name, int flags)
    {
        fixed (byte* text = Encoding.UTF8.GetBytes(name + "\0"))
        {
            return !folder.IsInvalid && statx((int)folder.DangerousGetHandle(), text, flags, out FileStatus status) == 0 ? status : null;
        }
    }
}

/// <summary>The number of bytes of foreign files that may still be read into memory for one profile. Thread-safe.</summary>
/// <remarks>A sparse file that is large takes no space on the disk. A large C++ program has about 200 MB of symbols.</remarks>
internal sealed class ReadBudget(long bytes = 256L << 20)
{
    private long _left = bytes;

    /// <summary>Takes the given number of bytes; false, and takes none, if that many are not left.</summary>
    public bool TryTake(long count)
    {
        bool isLeft = Interlocked.Add(ref _left, -count) >= 0;
        _ = isLeft ? 0 : Interlocked.Add(ref _left, count);
        return isLeft;
    }
}
