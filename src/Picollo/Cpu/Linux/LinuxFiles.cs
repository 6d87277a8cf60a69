using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;
using Picollo.Interop.Linux;

namespace Picollo.Cpu.Linux;

/// <summary>Reads small files and directories by system calls alone. Paths end with a zero.</summary>
/// <remarks><see cref="File"/> allocates for each file, and asks the system several things that are of no use here.</remarks>
internal static unsafe class LinuxFiles
{
    /// <summary>Whether the last call that failed was not permitted: EPERM or EACCES.</summary>
    public static bool IsLastRefused => Marshal.GetLastPInvokeError() is Errno.EPERM or Errno.EACCES;

    /// <summary>Whether what the last call that failed was for is not there, or not any more: ENOENT or ESRCH.</summary>
    public static bool IsLastAbsent => Marshal.GetLastPInvokeError() is Errno.ENOENT or Errno.ESRCH;

    /// <summary>Why the last file could not be opened or read: that there is no file descriptor left (EMFILE, ENFILE), or otherwise what
    /// the caller knows of it. Right after the failure; a call that succeeds clears it.</summary>
    [return: NotNullIfNotNull(nameof(otherwise))]
    public static string? WhyNotRead(string? otherwise) =>
        Marshal.GetLastPInvokeError() is Errno.ENFILE or Errno.EMFILE ? LinuxReasons.NoDescriptors : otherwise;

    /// <summary>Opens a file or directory under another one; negative where that fails.</summary>
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

    public static void Close(int file) => _ = LibC.close(file); // what was only read has nothing to lose

    /// <summary>
    /// Reads a file from its beginning in one call, which is all of it for what /proc makes of one process, or as much as fits;
    /// negative where it cannot be read.
    /// </summary>
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

    /// <summary>Reads a whole file into a buffer that grows to hold it; false where it cannot be read.</summary>
    public static bool TryReadAll(ReadOnlySpan<byte> path, ref byte[] buffer, out ReadOnlySpan<byte> content)
    {
        content = default;
        int file = Open(LibC.AT_FDCWD, path);
        if (file < 0)
        {
            return false;
        }

        int length = 0, read;
        while ((read = Read(file, buffer.AsSpan(length))) > 0)
        {
            length += read;
            if (length == buffer.Length)
            {
                Array.Resize(ref buffer, 2 * length);
            }
        }

        Close(file);
        content = buffer.AsSpan(0, length);
        return read == 0;
    }

    /// <summary>Reads the next entries of an open directory; 0 at its end, negative where it cannot be read.</summary>
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
