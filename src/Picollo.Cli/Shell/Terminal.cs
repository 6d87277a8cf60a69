using System.Text;
using Microsoft.Win32.SafeHandles;
using Picollo.Interop.Linux;

namespace Picollo.Cli.Shell;

/// <summary>Standard input, output and error: a terminal, a file or a pipe each.</summary>
internal sealed class Terminal
{
    private const int NarrowestWidth = 20;
    private const int PlainWidth = 80;

    public Terminal()
    {
        bool isUnix = !OperatingSystem.IsWindows();
        Out = Writer(isUnix ? new DescriptorStream(DescriptorStream.Output) : Console.OpenStandardOutput());
        Error = Writer(isUnix ? new DescriptorStream(DescriptorStream.Error) : Console.OpenStandardError(), autoFlush: true);
        Width = Console.IsOutputRedirected ? PlainWidth : Math.Max(WindowColumns ?? PlainWidth, NarrowestWidth);
        OutIsPlain = Console.IsOutputRedirected || IsColorless;
        ErrorIsPlain = Console.IsErrorRedirected || IsColorless;
    }

    /// <summary>Plain text, 80 columns wide, to other writers.</summary>
    public Terminal(TextWriter output, TextWriter error) =>
        (Out, Error, Width, OutIsPlain, ErrorIsPlain) = (output, error, PlainWidth, true, true);

    /// <summary>Opens standard input.</summary>
    public Func<Stream> OpenInput { get; init; } = () => DescriptorStream.IsOpen(DescriptorStream.Input)
        ? new FileStream(new SafeFileHandle(DescriptorStream.Input, ownsHandle: false), FileAccess.Read, bufferSize: 0)
        : throw new IOException("Bad file descriptor");

    /// <summary>For results. Flushed at the command's end; a command that shows intermediate results flushes them itself.</summary>
    public TextWriter Out { get; }

    /// <summary>For errors, and for everything else that is not a result.</summary>
    public TextWriter Error { get; }

    /// <summary>Whether standard output takes no colors, no cursor movement and no width except 80: it is a file or a pipe, or the user
    /// wants no color (NO_COLOR, or a TERM that is dumb).</summary>
    public bool OutIsPlain { get; }

    /// <summary>Whether standard error takes none of these.</summary>
    public bool ErrorIsPlain { get; }

    /// <summary>Columns of the terminal at the start; 80 if standard output is not a terminal.</summary>
    public int Width { get; }

    /// <summary>Columns of the terminal on standard output; null if they are not known. On Linux from the kernel:
    /// <see cref="Console.WindowWidth"/> first sends sequences that set up the terminal's keypad, even if the user wants none.</summary>
    public static int? WindowColumns
    {
        get
        {
            if (OperatingSystem.IsLinux())
            {
                return ReadWindow() is { Columns: > 0 } window ? window.Columns : null;
            }

            try
            {
                return Console.WindowWidth;
            }
            catch (IOException)
            {
                return null;
            }
        }
    }

    /// <summary>Columns and rows of the terminal on standard output; null if they are not known, or not on Linux.</summary>
    public static (int Columns, int Rows)? WindowSize =>
        OperatingSystem.IsLinux() && ReadWindow() is { Columns: > 0, Rows: > 0 } window ? (window.Columns, window.Rows) : null;

    /// <summary>Says that a file was written; nothing of a device, or of no file.</summary>
    public void ReportWritten(string? path)
    {
        if (path is not null && !path.StartsWith("/dev/", StringComparison.Ordinal))
        {
            Error.WriteLine(ForeignText.Clean($"wrote {path}"));
        }
    }

    /// <summary>Begins a line after the ^C that a terminal has echoed.</summary>
    public void LeaveInterruptLine(Interrupt interrupt)
    {
        if (interrupt.Signal == Signals.Interrupt && !Console.IsOutputRedirected && !Console.IsErrorRedirected)
        {
            Error.WriteLine();
        }
    }

    private static bool IsColorless => Environment.GetEnvironmentVariable("NO_COLOR") is { Length: > 0 }
        || (!OperatingSystem.IsWindows() && Environment.GetEnvironmentVariable("TERM") is null or "dumb");

    private static StreamWriter Writer(Stream stream, bool autoFlush = false) =>
        new(stream, new UTF8Encoding(encoderShouldEmitUTF8Identifier: false), bufferSize: 8192) { NewLine = "\n", AutoFlush = autoFlush };

    private static unsafe LibC.Winsize? ReadWindow()
    {
        LibC.Winsize window;
        return LibC.ioctl(DescriptorStream.Output, LibC.TIOCGWINSZ, &window) == 0 ? window : null;
    }
}
