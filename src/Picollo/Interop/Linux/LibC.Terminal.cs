namespace Picollo.Interop.Linux;

/// <content>Terminals and other devices, and the kernel's log.</content>
internal static unsafe partial class LibC
{
    // <asm-generic/ioctls.h>
    public const nuint TIOCGWINSZ = 0x5413;

    // <asm-generic/termbits.h>
    public const uint ISIG = 0x1;
    public const uint ICANON = 0x2;
    public const uint ECHO = 0x8;
    public const int VTIME = 5;
    public const int VMIN = 6;
    public const int TCSANOW = 0;
    public const int TCSADRAIN = 1;

    // <sys/klog.h>
    public const int SYSLOG_ACTION_READ_ALL = 3;
    public const int SYSLOG_ACTION_SIZE_BUFFER = 10;

    [LibraryImport(Library, SetLastError = true)]
    public static partial int ioctl(int file, nuint request, void* argument);

    [LibraryImport(Library)]
    public static partial int isatty(int file);

    [LibraryImport(Library)]
    public static partial int tcgetpgrp(int file);

    [LibraryImport(Library)]
    public static partial int tcgetattr(int file, Termios* mode);

    [LibraryImport(Library, SetLastError = true)]
    public static partial int tcsetattr(int file, int when, Termios* mode);

    [LibraryImport(Library)]
    public static partial int klogctl(int action, byte* buffer, int length);

    /// <summary>struct winsize.</summary>
    public struct Winsize
    {
        public ushort Rows;
        public ushort Columns;
        private fixed ushort _pixels[2];
    }

    /// <summary>struct termios of glibc and musl.</summary>
    public struct Termios
    {
        public uint InputFlags;
        public uint OutputFlags;
        public uint ControlFlags;
        public uint LocalFlags;
        public byte Line;
        public fixed byte Characters[32];
        public uint InputSpeed;
        public uint OutputSpeed;
    }
}
