using Microsoft.Win32.SafeHandles;
using Picollo.Interop.Linux;

namespace Picollo.Cli.Stat;

/// <summary>The standard input of the runs. All runs read the same bytes, because otherwise the first run would leave nothing to the
/// others, whose times would be those of an empty input.</summary>
/// <remarks>Several runs cannot read a pipe. They read the null device, as in hyperfine. An error was rejected, because standard input is
/// often a pipe that no command reads: under ssh without a terminal, and on build servers.</remarks>
internal sealed class RunInput
{
    private const int Input = DescriptorStream.Input;

    private readonly long _start = -1; // the offset at which each run starts; -1 if standard input is not rewound

    public RunInput(StatOptions options)
    {
        bool isInherited = !DescriptorStream.IsOpen(Input) || !Console.IsInputRedirected; // closed, or a terminal
        Path = options.InputPath;
        PreparationPath = isInherited ? null : NullDevice;
        if (Path is not null || isInherited || options.TotalRuns == 1)
        {
            return;
        }

        _start = OperatingSystem.IsWindows() ? -1 : LibC.lseek(Input, 0, LibC.SEEK_CUR);
        if (_start < 0)
        {
            Path = NullDevice;
            Note = $"standard input is a pipe or a similar file that can be read only once, so each run read {NullDevice} instead; "
                + "--input FILE specifies a file";
        }
    }

    /// <summary>The file that is opened for each run; null if the runs inherit standard input.</summary>
    public string? Path { get; }

    /// <summary>The file that is opened for each preparation, which must not read the input of the run; null if it inherits standard
    /// input.</summary>
    public string? PreparationPath { get; }

    public string? Note { get; }

    private static string NullDevice => OperatingSystem.IsWindows() ? "NUL" : "/dev/null";

    /// <summary>Checks, before the first run, that a file can be the input of each run.</summary>
    /// <exception cref="CommandException">It cannot.</exception>
    public static void Check(string path)
    {
        bool canSeek = CommandException.OnFile(path, () =>
        {
            using FileStream file = Directory.Exists(path)
                ? throw new CommandException($"{path}: Is a directory")
                : new(OpenWithoutWaiting(path), FileAccess.Read, bufferSize: 0);
            return file.CanSeek;
        });
        if (!canSeek)
        {
            throw new CommandException(
                $"{path}: it can be read only once, like all pipes; redirect it to the standard input of a single run");
        }
    }

    /// <summary>Rewinds standard input to where it was at the start. The runs share the offset with this process.</summary>
    public void Rewind()
    {
        if (_start >= 0 && LibC.lseek(Input, _start, LibC.SEEK_SET) < 0)
        {
            throw new IOException($"standard input: {Marshal.GetLastPInvokeErrorMessage()}");
        }
    }

    // Opening a FIFO without a writer blocks.
    private static SafeFileHandle OpenWithoutWaiting(string path)
    {
        if (!OperatingSystem.IsLinux())
        {
            return File.OpenHandle(path);
        }

        int file = LibC.openat(LibC.AT_FDCWD, path, LibC.O_RDONLY | LibC.O_NONBLOCK | LibC.O_CLOEXEC);
        return file >= 0 ? new(file, ownsHandle: true) : throw new IOException(Marshal.GetLastPInvokeErrorMessage());
    }
}
