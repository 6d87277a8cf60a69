using System.Diagnostics;
using System.Globalization;
using System.Runtime.InteropServices;
using System.Text;
using Picollo.Cpu.Linux;
using Picollo.Interop.Linux;

namespace Picollo.Cli.Shell;

/// <summary>How a line of a screen is shown.</summary>
internal enum LineStyle
{
    Plain,
    Bold,

    /// <summary>Dark on light, over the whole width.</summary>
    Reverse,

    /// <summary>In the terminal's green.</summary>
    Green,

    /// <summary>In the terminal's yellow.</summary>
    Yellow,
}

/// <summary>A line of a screen.</summary>
/// <param name="Text">Without control characters.</param>
/// <param name="Style">Of the whole line, unless the user wants no attributes.</param>
internal readonly record struct ScreenLine(string Text, LineStyle Style = LineStyle.Plain);

/// <summary>A terminal that a command uses exclusively: its alternate screen, no cursor, each key as it is typed. However the command is
/// ended or stopped, except by SIGKILL, the terminal is left as it was. Linux.</summary>
/// <remarks>One thread draws frames and reads keys; signals come on others.</remarks>
internal sealed class LiveScreen : IDisposable
{
    // The alternate screen, no cursor; and no wrapping at the last column, in case a character is wider than assumed.
    private const string EnterSequence = "\e[?1049h\e[?25l\e[?7l\e[m\e[H\e[2J";
    private const string LeaveSequence = "\e[m\e[?7h\e[?25h\e[?1049l";

    // Of each LineStyle.
    private static readonly string[] Attributes = ["", "\e[1m", "\e[7m", "\e[32m", "\e[33m"];

    private readonly Lock _lock = new();
    private readonly DescriptorStream _output = new(DescriptorStream.Output);
    private readonly Keyboard _keyboard;
    private readonly StringBuilder _frame = new();
    private readonly List<PosixSignalRegistration> _registrations;
    private readonly bool _isColorless;
    private int _row;
    private bool _isEntered;
    private bool _isOver;

    private LiveScreen(Keyboard keyboard, bool isColorless)
    {
        Debug.Assert(!OperatingSystem.IsWindows(), "Terminal.WindowSize is null there.");
        (_keyboard, _isColorless) = (keyboard, isColorless);
        MeasureSize();
        _registrations =
        [
            // Other handlers decide what these do; if one ends the process, the terminal could not be restored later.
            PosixSignalRegistration.Create(PosixSignal.SIGINT, _ => End()),
            PosixSignalRegistration.Create(PosixSignal.SIGTERM, _ => End()),
            PosixSignalRegistration.Create(PosixSignal.SIGHUP, _ => End()),
            PosixSignalRegistration.Create(PosixSignal.SIGQUIT, _ => End()),
            PosixSignalRegistration.Create(PosixSignal.SIGTSTP, Suspend),
            PosixSignalRegistration.Create(PosixSignal.SIGCONT, Resume),
            PosixSignalRegistration.Create(PosixSignal.SIGWINCH, _ => keyboard.Wake()),
        ];
        Enter();
    }

    public int Columns { get; private set; }

    public int Rows { get; private set; }

    /// <inheritdoc cref="Keyboard.IsGone"/>
    public bool IsGone => _keyboard.IsGone;

    /// <summary>Takes over the terminal.</summary>
    /// <returns>Null if standard output is not a terminal that can show frames, or if there is no keyboard.</returns>
    public static LiveScreen? TryOpen(Terminal terminal)
    {
        if (Terminal.WindowSize is null
            || Environment.GetEnvironmentVariable("TERM") is null or "" or "dumb"
            || Keyboard.TryOpen() is not { } keyboard)
        {
            return null;
        }

        terminal.Out.Flush();
        return new LiveScreen(keyboard, terminal.OutIsPlain);
    }

    /// <summary>Begins a frame; <see cref="Columns"/> and <see cref="Rows"/> are those of the terminal as it is now.</summary>
    public void Begin()
    {
        MeasureSize();
        _frame.Clear();
        _row = 0;
    }

    /// <summary>Adds the next line of the frame. Lines and columns beyond the screen are left out.</summary>
    public void Add(ScreenLine line)
    {
        if (_row == Rows)
        {
            return;
        }

        _row++;
        string attributes = _isColorless ? "" : Attributes[(int)line.Style];
        _frame.Append(CultureInfo.InvariantCulture, $"\e[{_row}H{attributes}");
        int width = CellText.AppendFitting(_frame, line.Text, Columns);
        if (line.Style == LineStyle.Reverse && attributes.Length > 0)
        {
            _frame.Append(' ', Columns - width);
            width = Columns;
        }

        if (attributes.Length > 0)
        {
            _frame.Append("\e[m");
        }

        // With the cursor at the last column, which a full line leaves it at, this would clear the last character.
        if (width < Columns)
        {
            _frame.Append("\e[K");
        }
    }

    /// <summary>Shows the frame, by one write, in place of the previous one.</summary>
    /// <param name="cursor">The column and row of a visible cursor, from 0; null for none.</param>
    public void Show((int Column, int Row)? cursor = null)
    {
        if (_row < Rows)
        {
            _frame.Append(CultureInfo.InvariantCulture, $"\e[{_row + 1}H\e[J");
        }

        _ = cursor is { } place
            ? _frame.Append(CultureInfo.InvariantCulture, $"\e[{place.Row + 1};{Math.Min(place.Column, Columns - 1) + 1}H\e[?25h")
            : _frame.Append("\e[?25l");
        lock (_lock)
        {
            if (_isEntered)
            {
                _output.Write(Encoding.UTF8.GetBytes(_frame.ToString()));
            }
        }
    }

    /// <inheritdoc cref="Keyboard.Read"/>
    public Key? ReadKey(TimeSpan timeout) => _keyboard.Read(timeout);

    /// <inheritdoc cref="Keyboard.Wake"/>
    public void Wake() => _keyboard.Wake();

    public void Dispose()
    {
        End();
        _registrations.ForEach(registration => registration.Dispose());
        _keyboard.Dispose();
    }

    // Also after a stop without notice (SIGSTOP): the shell has then set its own mode.
    private void Enter()
    {
        lock (_lock)
        {
            if (_isOver)
            {
                return;
            }

            _keyboard.SetMode();
            _isEntered = true;
            WriteIfThere(EnterSequence);
        }

        _keyboard.Wake();
    }

    private void Leave()
    {
        lock (_lock)
        {
            if (_isEntered)
            {
                _isEntered = false;
                WriteIfThere(LeaveSequence);
                _keyboard.RestoreMode();
            }
        }
    }

    private void End()
    {
        lock (_lock)
        {
            _isOver = true;
            Leave();
        }
    }

    // SIGSTOP to this thread stops the process before the call returns; SIGCONT does the rest. A process that no other could continue must
    // not be stopped: for a program without a handler, the kernel ignores SIGTSTP then.
    private void Suspend(PosixSignalContext context)
    {
        context.Cancel = true;
        if (HasJobControl())
        {
            Leave();
            _ = LibC.raise(LibC.SIGSTOP);
        }
    }

    // By default the runtime then restores the terminal's mode of the start.
    private void Resume(PosixSignalContext context)
    {
        context.Cancel = true;
        Enter();
    }

    // Whether this is not an orphaned process group: an ancestor of the same session, outside of the group, waits for it.
    private static bool HasJobControl()
    {
        Span<byte> buffer = stackalloc byte[ProcTaskStat.MaxLength];
        int process = LibC.getppid();
        while (process > 0 && LibC.getpgid(process) == LibC.getpgid(0))
        {
            process = ProcTaskStat.TryRead(process, buffer, out ProcTaskStat stat) ? stat.ParentId : 0;
        }

        return process > 0 && LibC.getsid(process) == LibC.getsid(0);
    }

    private void MeasureSize() => (Columns, Rows) = Terminal.WindowSize ?? (Math.Max(Columns, 1), Math.Max(Rows, 1));

    // Ignores a terminal that was closed.
    private void WriteIfThere(string sequence)
    {
        try
        {
            _output.Write(Encoding.ASCII.GetBytes(sequence));
        }
        catch (Exception e) when (e is IOException or ClosedPipeException)
        {
        }
    }
}
