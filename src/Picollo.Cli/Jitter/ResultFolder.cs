using Microsoft.Win32.SafeHandles;
using Picollo.Interop.Linux;

namespace Picollo.Cli.Jitter;

/// <summary>A folder that belongs to this user. Files are always created as new ones, relative to the folder's descriptor, so that a link
/// that another user creates in the meantime is not followed.</summary>
internal sealed class ResultFolder : IDisposable
{
    private const int OwnerOnly = 0x1C0; // 0700
    private const int OwnerReadsAndWrites = 0x180; // 0600

    private static readonly int NewFile = LibC.O_WRONLY | LibC.O_CREAT | LibC.O_EXCL | LibC.O_NOFOLLOW | LibC.O_CLOEXEC;

    private readonly string _path;
    private readonly SafeFileHandle _folder;
    private readonly SortedSet<string> _written = new(StringComparer.Ordinal);

    private ResultFolder(string path, SafeFileHandle folder) => (_path, _folder) = (path, folder);

    /// <summary>Creates a folder that only its owner can access, or opens an existing folder of this user.</summary>
    /// <exception cref="CommandException">The folder belongs to another user or cannot be created, or the path is not a folder.</exception>
    public static ResultFolder Open(string path)
    {
        string folderPath = path.Length > 1 ? path.TrimEnd('/') : path; // a trailing slash would follow a link
        folderPath = folderPath.Length == 0 && path.Length > 0 ? "/" : folderPath;
        if (LibC.mkdir(folderPath, OwnerOnly) != 0 && Marshal.GetLastPInvokeError() is not Errno.EEXIST and var error)
        {
            throw Problem(path, error);
        }

        int descriptor = LibC.openat(LibC.AT_FDCWD, folderPath, LibC.O_DIRECTORY | LibC.O_NOFOLLOW | LibC.O_CLOEXEC);
        if (descriptor < 0)
        {
            error = Marshal.GetLastPInvokeError();
            throw error is Errno.ELOOP or Errno.ENOTDIR
                ? new CommandException($"{path}: the path is a link or is not a directory")
                : Problem(path, error);
        }

        SafeFileHandle folder = new(descriptor, ownsHandle: true);
        if (OwnerOf(descriptor) != LibC.geteuid())
        {
            folder.Dispose();
            throw new CommandException($"{path}: the directory belongs to another user");
        }

        return new(path, folder);
    }

    /// <summary>Creates a file that only its owner can access. Replaces an existing file.</summary>
    public FileStream Create(string name)
    {
        Remove(name);
        FileStream file = new(CreateNewFile(name, name), FileAccess.Write, bufferSize: 0);
        _written.Add(name);
        return file;
    }

    /// <summary>Writes a file atomically: writes a temporary file and then renames it.</summary>
    /// <exception cref="CommandException">The file cannot be written. An existing file is unchanged.</exception>
    public void Write(string name, Action<Stream> write)
    {
        string temporaryName = Invariant($"{name}.{Environment.ProcessId}.tmp");
        try
        {
            using (FileStream file = new(CreateNewFile(temporaryName, name), FileAccess.Write))
            {
                write(file);
            }

            if (LibC.renameat(Number, temporaryName, Number, name) != 0)
            {
                throw Problem($"{_path}/{name}", Marshal.GetLastPInvokeError());
            }

            _written.Add(name);
        }
        catch (Exception e)
        {
            Remove(temporaryName);
            if (e is IOException or UnauthorizedAccessException)
            {
                throw CommandException.OfFile($"{_path}/{name}", e);
            }

            throw;
        }
    }

    public void WriteText(string name, Action<TextWriter> write) => Write(name, stream => OutputFile.WriteText(stream, write));

    public override string ToString() => $"{_path}: {string.Join(", ", _written)}";

    public void Dispose() => _folder.Dispose();

    private int Number => (int)_folder.DangerousGetHandle();

    private SafeFileHandle CreateNewFile(string name, string reportedName)
    {
        int descriptor = LibC.openat(Number, name, NewFile, OwnerReadsAndWrites);
        return descriptor >= 0
            ? new(descriptor, ownsHandle: true)
            : throw Problem($"{_path}/{reportedName}", Marshal.GetLastPInvokeError());
    }

    public void Remove(string name)
    {
        if (LibC.unlinkat(Number, name, 0) != 0 && Marshal.GetLastPInvokeError() is not Errno.ENOENT and var error)
        {
            throw Problem($"{_path}/{name}", error);
        }
    }

    private static CommandException Problem(string path, int error) => new($"{path}: {Marshal.GetPInvokeErrorMessage(error)}");

    private static unsafe uint OwnerOf(int descriptor)
    {
        byte emptyPath = 0;
        return LibC.statx(descriptor, &emptyPath, LibC.AT_EMPTY_PATH, out LibC.FileStatus status) == 0
            ? status.User
            : throw new CommandException($"statx: {Marshal.GetLastPInvokeErrorMessage()}");
    }
}
