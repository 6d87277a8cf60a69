using System.Text;

namespace Picollo.Cli.Shell;

/// <summary>Where a command writes to: a terminal, a file or a pipe, each told apart.</summary>
internal sealed class Terminal
{
    private const int NarrowestWidth = 20;
    private const int PlainWidth = 80;

    public Terminal()
    {
        bool isUnix = !OperatingSystem.IsWindows();
        Out = Writer(isUnix ? new DescriptorStream(StandardDescriptor.Output) : Console.OpenStandardOutput());
        Error = Writer(isUnix ? new DescriptorStream(StandardDescriptor.Error) : Console.OpenStandardError(), autoFlush: true);
        Width = WidthOfOut();
        OutIsPlain = Console.IsOutputRedirected || IsColorless;
        ErrorIsPlain = Console.IsErrorRedirected || IsColorless;
    }

    /// <summary>For results. Flushed at the command's end; a command that shows something as it goes flushes itself.</summary>
    public TextWriter Out { get; }

    /// <summary>For errors, and for what is not the result.</summary>
    public TextWriter Error { get; }

    /// <summary>No color, no cursor movement, no width but 80 on standard output: it goes into a file or a pipe, or the user wants no color
    /// (NO_COLOR, or a TERM that is dumb).</summary>
    public bool OutIsPlain { get; }

    /// <summary>The same of standard error.</summary>
    public bool ErrorIsPlain { get; }

    /// <summary>Columns of the terminal at the start; 80 where there is none.</summary>
    public int Width { get; }

    private static bool IsColorless => Environment.GetEnvironmentVariable("NO_COLOR") is { Length: > 0 }
        || (!OperatingSystem.IsWindows() && Environment.GetEnvironmentVariable("TERM") is null or "dumb");

    private static StreamWriter Writer(Stream stream, bool autoFlush = false) =>
        new(stream, new UTF8Encoding(encoderShouldEmitUTF8Identifier: false), bufferSize: 8192) { NewLine = "\n", AutoFlush = autoFlush };

    private static int WidthOfOut()
    {
        if (Console.IsOutputRedirected)
        {
            return PlainWidth;
        }

        int width = WindowSize.Columns ?? PlainWidth;
        return Math.Max(width, NarrowestWidth);
    }
}
