using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using Picollo.Cli.Shell;
using Picollo.Interop.Linux;

namespace Picollo.Cli.Jitter;

/// <summary>A folder of ours that files are made in without a link being followed, even if somebody puts one there meanwhile: by its
/// descriptor, and each file anew.</summary>
internal sealed class ResultFolder : IDisposable
{
    private const int OwnerOnly = 0x1C0; // 0700
    private const int OwnerReadsAndWrites = 0x180; // 0600

    private static readonly int NewFile = LibC.O_WRONLY | LibC.O_CREAT | LibC.O_EXCL | LibC.O_NOFOLLOW | LibC.O_CLOEXEC;

    private readonly string _path;
    private readonly SafeFileHandle _folder;

    private ResultFolder(string path, SafeFileHandle folder)
    {
        _path = path;
        _folder = folder;
    }

    /// <summary>Makes it, for its owner only, or takes one that is there and this user's.</summary>
    /// <exception cref="CommandException">It is another's, a link or no folder, or cannot be made.</exception>
    public static ResultFolder Open(string path)
    {
        string place = path.Length > 1 ? path.TrimEnd('/') : path; // a slash at the end would follow a link
        place = place.Length == 0 && path.Length > 0 ? "/" : place;
        if (LibC.mkdir(place, OwnerOnly) != 0 && Marshal.GetLastPInvokeError() is not Errno.EEXIST and var error)
        {
            throw Problem(path, error);
        }

        int descriptor = LibC.openat(LibC.AT_FDCWD, place, LibC.O_DIRECTORY | LibC.O_NOFOLLOW | LibC.O_CLOEXEC);
        if (descriptor < 0)
        {
            error = Marshal.GetLastPInvokeError();
            throw error is Errno.ELOOP or Errno.ENOTDIR
                ? new CommandException($"{path}: it is a link, or no folder")
                : Problem(path, error);
        }

        SafeFileHandle folder = new(descriptor, ownsHandle: true);
        if (OwnerOf(descriptor) != LibC.geteuid())
        {
            folder.Dispose();
            throw new CommandException($"{path}: it is another user's");
        }

        return new(path, folder);
    }

    /// <summary>A new file, for its owner only, in the place of what has its name.</summary>
    /// <param name="name">Without a slash.</param>
    /// <exception cref="CommandException">It cannot be made.</exception>
    public FileStream Create(string name)
    {
        Remove(name);
        return new FileStream(CreateNewFile(name, name), FileAccess.Write, bufferSize: 0);
    }

    /// <summary>Writes a file beside its place and then puts it there: it is there as a whole or not at all.</summary>
    /// <exception cref="CommandException">It cannot be written; what was there stays.</exception>
    public void Write(string name, Action<Stream> write)
    {
        string aside = FormattableString.Invariant($"{name}.{Environment.ProcessId}.tmp");
        try
        {
            using (FileStream file = new(CreateNewFile(aside, name), FileAccess.Write))
            {
                write(file);
            }

            if (LibC.renameat(Number, aside, Number, name) != 0)
            {
                throw Problem($"{_path}/{name}", Marshal.GetLastPInvokeError());
            }
        }
        catch (Exception e)
        {
            Remove(aside);
            if (e is IOException or UnauthorizedAccessException)
            {
                throw new CommandException($"{_path}/{name}: {FileProblem.Of(e)}");
            }

            throw;
        }
    }

    /// <summary>Writes a file of UTF-8 text.</summary>
    /// <inheritdoc cref="Write"/>
    public void WriteText(string name, Action<TextWriter> write) => Write(name, stream => OutputFile.WriteText(stream, write));

    public void Dispose() => _folder.Dispose();

    private int Number => (int)_folder.DangerousGetHandle();

    /// <param name="name">Its name.</param>
    /// <param name="toldName">The one that is told where it cannot be made.</param>
    private SafeFileHandle CreateNewFile(string name, string toldName)
    {
        int descriptor = LibC.openat(Number, name, NewFile, OwnerReadsAndWrites);
        return descriptor >= 0 ? new(descriptor, ownsHandle: true) : throw Problem($"{_path}/{toldName}", Marshal.GetLastPInvokeError());
    }

    /// <summary>Takes away what has this name, where there is such a thing.</summary>
    /// <exception cref="CommandException">It cannot be removed.</exception>
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
        return LibC.statx_uid(descriptor, &emptyPath, LibC.AT_EMPTY_PATH, out uint owner) == 0
            ? owner
            : throw new CommandException($"statx: {Marshal.GetLastPInvokeErrorMessage()}");
    }
}
