using System.Buffers.Binary;
using System.Buffers.Text;
using Picollo.Interop.Linux;

namespace Picollo.Cpu.Linux;

/// <summary>Reads small files and directories with system calls only. Paths end with a zero.</summary>
/// <remarks><see cref="File"/> allocates for each file and makes system calls that are not needed here.</remarks>
internal static unsafe class LinuxFiles
{
    /// <summary>Whether the last failed call was not permitted: EPERM or EACCES.</summary>
    public static bool IsLastRefused => Marshal.GetLastPInvokeError() is Errno.EPERM or Errno.EACCES;

    /// <summary>Whether the target of the last failed call does not exist, or no longer exists: ENOENT or ESRCH.</summary>
    public static bool IsLastAbsent => Marshal.GetLastPInvokeError() is Errno.ENOENT or Errno.ESRCH;

    /// <summary>Returns the reason why the last file could not be opened or read: that no file descriptor is left (EMFILE, ENFILE), or else
    /// the caller's reason. Call it directly after the failure, because a successful call clears the error.</summary>
    [return: NotNullIfNotNull(nameof(fallback))]
    public static string? ReadFailureReason(string? fallback) =>
        Marshal.GetLastPInvokeError() is Errno.ENFILE or Errno.EMFILE ? LinuxReasons.NoDescriptors : fallback;

    /// <summary>Opens a file or directory relative to another one; negative on failure.</summary>
    public static int Open(int directory, ReadOnlySpan<byte> path)
    {
        fixed (byte* pointer = path)
        {
            int file;
            do
            {
                file = LibC.openat(directory, pointer, LibC.O_RDONLY | LibC.O_CLOEXEC);
            }
            while (file < 0 && Marshal.GetLastPInvokeError() == Errno.EINTR);
            return file;
        }
    }

    public static void Close(int file) => _ = LibC.close(file); // errors do not matter, because files are only read

    /// <summary>Reads as much of the start of a file in one call as fits into the buffer. For the files of one process in /proc this is the
    /// whole file. Returns a negative value on failure.</summary>
    public static int ReadOnce(int directory, ReadOnlySpan<byte> path, Span<byte> buffer)
    {
        int file = Open(directory, path);
        if (file < 0)
        {
            return -1;
        }

        int length = Read(file, buffer);
        Close(file);
        return length;
    }

    /// <summary>Reads a file, up to a number of bytes, into a buffer that grows as needed; false on failure. Some files of a process have a
    /// length that its user controls. They need a limit, which must be at least the length of the buffer.</summary>
    public static bool TryReadAll(
        ReadOnlySpan<byte> path, ref byte[] buffer, out ReadOnlySpan<byte> content, int limit = int.MaxValue)
    {
        content = default;
        int file = Open(LibC.AT_FDCWD, path);
        if (file < 0)
        {
            return false;
        }

        int length = 0, read = 0;
        while (length < limit && (read = Read(file, buffer.AsSpan(length))) > 0)
        {
            length += read;
            if (length == buffer.Length)
            {
                Array.Resize(ref buffer, Math.Min(2 * length, limit));
            }
        }

        Close(file);
        content = buffer.AsSpan(0, length);
        return read >= 0;
    }

    /// <summary>Reads a file of a process; empty if it cannot be read. The limit is one that only a hostile process exceeds, which can have
    /// arguments and an environment of any length (prctl(2), PR_SET_MM_MAP).</summary>
    public static string ReadText(string path)
    {
        const int Limit = 32 << 20;
        byte[] buffer = new byte[4096];
        return TryReadAll(Encoding.UTF8.GetBytes(path + "\0"), ref buffer, out ReadOnlySpan<byte> content, Limit)
            ? Encoding.UTF8.GetString(content)
            : "";
    }

    /// <summary>Reads the next entries of an open directory; 0 at its end, negative on failure.</summary>
    public static int ReadDirectory(int directory, Span<byte> buffer)
    {
        if (LibC.SYS_getdents64 is not { } number)
        {
            return -1;
        }

        fixed (byte* pointer = buffer)
        {
            return (int)LibC.syscall(number, directory, (nint)pointer, buffer.Length);
        }
    }

    /// <summary>Returns the owner of a file or directory relative to another one. For the directory of a process in /proc this is the
    /// effective user. Null if it does not exist or the call is refused.</summary>
    /// <remarks>Uses statx(2), which opens nothing and has the same layout on all architectures. If a process may not be dumped, root owns
    /// the files in its directory but not the directory itself (task_dump_owner in fs/proc/base.c). The Uid line of status has the same ID,
    /// but takes 4.4 µs instead of 0.4 (the kernel formats 60 lines for it). A cached value would miss setuid(2).</remarks>
    public static uint? TryGetOwner(int directory, ReadOnlySpan<byte> path)
    {
        fixed (byte* pointer = path)
        {
            return LibC.statx(directory, pointer, flags: 0, out LibC.FileStatus status) == 0 ? status.User : null;
        }
    }

    private static int Read(int file, Span<byte> buffer)
    {
        fixed (byte* pointer = buffer)
        {
            nint length;
            do
            {
                length = LibC.read(file, pointer, buffer.Length);
            }
            while (length < 0 && Marshal.GetLastPInvokeError() == Errno.EINTR);
            return (int)length;
        }
    }
}

/// <summary>Enumerates the result of getdents64(2): consecutive struct linux_dirent64.</summary>
internal ref struct DirectoryEntries(ReadOnlySpan<byte> buffer)
{
    // u64 d_ino, s64 d_off, u16 d_reclen, u8 d_type, then the name and a zero.
    private const int LengthOffset = 16;
    private const int NameOffset = 19;

    private ReadOnlySpan<byte> _rest = buffer;

    /// <summary>The name of the current entry, without the zero.</summary>
    public ReadOnlySpan<byte> Name { get; private set; }

    /// <summary>Moves to the next entry; false at the end, or if the rest is not a valid entry.</summary>
    public bool MoveNext()
    {
        if (_rest.Length <= NameOffset)
        {
            return false;
        }

        int length = BinaryPrimitives.ReadUInt16LittleEndian(_rest[LengthOffset..]);
        if (length <= NameOffset || length > _rest.Length)
        {
            return false;
        }

        ReadOnlySpan<byte> name = _rest[NameOffset..length];
        int end = name.IndexOf((byte)0);
        Name = end < 0 ? name : name[..end];
        _rest = _rest[length..];
        return true;
    }
}

/// <summary>Builds a path in the caller's buffer. The path ends with a zero, and the buffer must be long enough.</summary>
internal ref struct PathBuffer(Span<byte> buffer)
{
    private readonly Span<byte> _buffer = buffer;
    private int _length;

    /// <summary>The path with its final zero.</summary>
    public readonly ReadOnlySpan<byte> Terminated
    {
        get
        {
            _buffer[_length] = 0;
            return _buffer[..(_length + 1)];
        }
    }

    public void Append(ReadOnlySpan<byte> text)
    {
        text.CopyTo(_buffer[_length..]);
        _length += text.Length;
    }

    public void Append(int number)
    {
        Utf8Formatter.TryFormat(number, _buffer[_length..], out int written);
        _length += written;
    }
}
