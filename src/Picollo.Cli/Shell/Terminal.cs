using Microsoft.Win32.SafeHandles;
using Picollo.Interop.Linux;

namespace Picollo.Cli.Shell;

/// <summary>Standard input, output and error. Each is a terminal, a file or a pipe.</summary>
internal sealed class Terminal
{
    private const int MinWidth = 20;
    private const int PlainWidth = 80;

    public Terminal()
    {
        bool isUnix = !OperatingSystem.IsWindows();
        Out = Writer(isUnix ? new DescriptorStream(DescriptorStream.Output) : Console.OpenStandardOutput());
        ErrorResults = Writer(isUnix ? new DescriptorStream(DescriptorStream.Error) : Console.OpenStandardError(), autoFlush: true);
        Error = Writer(
            isUnix ? new DescriptorStream(DescriptorStream.Error, isOptional: true) : Console.OpenStandardError(), autoFlush: true);
        Width = Console.IsOutputRedirected ? PlainWidth : Math.Max(WindowColumns ?? PlainWidth, MinWidth);
        OutIsPlain = Console.IsOutputRedirected || IsColorless;
        ErrorIsPlain = Console.IsErrorRedirected || IsColorless;
    }

    public Terminal(TextWriter output, TextWriter error) =>
        (Out, Error, ErrorResults, Width, OutIsPlain, ErrorIsPlain) = (output, error, error, PlainWidth, true, true);

    public Func<Stream> OpenInput { get; init; } = () => DescriptorStream.IsOpen(DescriptorStream.Input)
        ? new FileStream(new SafeFileHandle(DescriptorStream.Input, ownsHandle: false), FileAccess.Read, bufferSize: 0)
        : throw new IOException("Bad file descriptor");

    /// <summary>The writer for results. It is flushed when the command ends; a command that shows intermediate results flushes them
    /// itself.</summary>
    public TextWriter Out { get; }

    /// <summary>The writer for errors and other output that is not a result. If standard error is closed or full, the text is dropped: the
    /// exit code reports errors, and is that of the results.</summary>
    public TextWriter Error { get; }

    /// <summary>The writer for results that go to standard error, because standard output belongs to a command.</summary>
    public TextWriter ErrorResults { get; }

    /// <summary>Whether to write plain text to standard output, without colors or cursor movement: it is a file or a pipe, or the user has
    /// disabled colors (NO_COLOR, or TERM=dumb).</summary>
    public bool OutIsPlain { get; }

    public bool ErrorIsPlain { get; }

    /// <summary>The width of the terminal at the start, in columns; 80 if standard output is not a terminal.</summary>
    public int Width { get; }

    /// <summary>The width of the terminal on standard output, in columns; null if it is unknown. On Linux, the value is from the kernel,
    /// because <see cref="Console.WindowWidth"/> first sends sequences that set up the terminal's keypad.</summary>
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

    /// <summary>The size of the terminal on standard output; null if it is unknown. Linux only.</summary>
    public static (int Columns, int Rows)? WindowSize =>
        OperatingSystem.IsLinux() && ReadWindow() is { Columns: > 0, Rows: > 0 } window ? (window.Columns, window.Rows) : null;

    /// <summary>Reports that a file was written. Reports nothing for null or a device.</summary>
    public void ReportWritten(string? path)
    {
        if (path is not null && !path.StartsWith("/dev/", StringComparison.Ordinal))
        {
            Error.WriteLine(ForeignText.Clean($"wrote {path}"));
        }
    }

    /// <summary>Starts a new line after the ^C that the terminal has echoed.</summary>
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
