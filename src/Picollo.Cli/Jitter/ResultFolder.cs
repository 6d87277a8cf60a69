using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using Picollo.Cli.Shell;

namespace Picollo.Cli.Jitter;

/// <summary>A folder of ours that files are made in without a link being followed, even if somebody puts one there meanwhile: by its
/// descriptor, and each file anew.</summary>
internal sealed partial class ResultFolder : IDisposable
{
    private const int Exists = 17; // EEXIST
    private const int NotFolder = 20; // ENOTDIR
    private const int Loop = 40; // ELOOP
    private const int NoFile = 2; // ENOENT
    private const int OwnerOnly = 0x1C0; // 0700
    private const int OwnerReadsAndWrites = 0x180; // 0600
    private const int WriteOnly = 1; // O_WRONLY
    private const int CreateNew = 0x40 | 0x80; // O_CREAT | O_EXCL
    private const int CloseOnExec = 0x80000; // O_CLOEXEC
    private const int ItSelf = 0x1000; // AT_EMPTY_PATH
    private const uint WithOwner = 8; // STATX_UID

    // <asm/fcntl.h>: these differ.
    private static readonly bool IsArm = RuntimeInformation.ProcessArchitecture == Architecture.Arm64;
    private static readonly int Folder = IsArm ? 0x4000 : 0x10000; // O_DIRECTORY
    private static readonly int NoFollow = IsArm ? 0x8000 : 0x20000; // O_NOFOLLOW

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
        if (MakeFolder(place, OwnerOnly) != 0 && Marshal.GetLastPInvokeError() is not Exists and var error)
        {
            throw Problem(path, error);
        }

        int descriptor = OpenFile(place, Folder | NoFollow | CloseOnExec, 0);
        if (descriptor < 0)
        {
            error = Marshal.GetLastPInvokeError();
            throw error is Loop or NotFolder ? new CommandException($"{path}: it is a link, or no folder") : Problem(path, error);
        }

        SafeFileHandle folder = new(descriptor, ownsHandle: true);
        if (OwnerOf(descriptor) != EffectiveUser())
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

            if (Rename(Number, aside, Number, name) != 0)
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
        int descriptor = OpenFileIn(Number, name, WriteOnly | CreateNew | NoFollow | CloseOnExec, OwnerReadsAndWrites);
        return descriptor >= 0 ? new(descriptor, ownsHandle: true) : throw Problem($"{_path}/{toldName}", Marshal.GetLastPInvokeError());
    }

    /// <summary>Takes away what has this name, where there is such a thing.</summary>
    /// <exception cref="CommandException">It cannot be removed.</exception>
    public void Remove(string name)
    {
        if (RemoveFileIn(Number, name, 0) != 0 && Marshal.GetLastPInvokeError() is not NoFile and var error)
        {
            throw Problem($"{_path}/{name}", error);
        }
    }

    private static CommandException Problem(string path, int error) => new($"{path}: {Marshal.GetPInvokeErrorMessage(error)}");

    private static unsafe uint OwnerOf(int descriptor)
    {
        FileStatus status;
        return GetStatus(descriptor, "", ItSelf, WithOwner, &status) == 0 ? status.Owner : throw new CommandException($"statx: {Marshal.GetLastPInvokeErrorMessage()}");
    }

    /// <summary>struct statx of <c>linux/stat.h</c>, up to what is read, and its length.</summary>
    [StructLayout(LayoutKind.Explicit, Size = 256)]
    private struct FileStatus
    {
        [FieldOffset(20)]
        public uint Owner;
    }

    [LibraryImport("libc", EntryPoint = "mkdir", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int MakeFolder(string path, int mode);

    [LibraryImport("libc", EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int OpenFile(string path, int flags, int mode);

    [LibraryImport("libc", EntryPoint = "openat", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int OpenFileIn(int folder, string name, int flags, int mode);

    [LibraryImport("libc", EntryPoint = "unlinkat", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int RemoveFileIn(int folder, string name, int flags);

    [LibraryImport("libc", EntryPoint = "renameat", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int Rename(int fromFolder, string from, int toFolder, string to);

    [LibraryImport("libc", EntryPoint = "statx", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static unsafe partial int GetStatus(int folder, string name, int flags, uint mask, FileStatus* status);

    [LibraryImport("libc", EntryPoint = "geteuid")]
    private static partial uint EffectiveUser();
}
