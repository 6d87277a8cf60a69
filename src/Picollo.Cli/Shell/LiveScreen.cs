using Picollo.Cpu.Linux;
using Picollo.Interop.Linux;

namespace Picollo.Cli.Shell;

internal enum LineStyle
{
    Plain,
    Bold,

    /// <summary>Reverse video over the whole width.</summary>
    Reverse,

    Green,

    Yellow,
}

/// <param name="Text">The text, without control characters.</param>
/// <param name="Style">The style of the whole line. Ignored if the user has disabled colors.</param>
internal readonly record struct ScreenLine(string Text, LineStyle Style = LineStyle.Plain);

/// <summary>A full-screen terminal session: uses the alternate screen, hides the cursor, and reads each key as it is typed. Restores the
/// terminal when the command ends or is stopped, except by SIGKILL. Linux only.</summary>
/// <remarks>One thread draws frames and reads keys; signals arrive on other threads.</remarks>
internal sealed class LiveScreen : IDisposable
{
    // Enter the alternate screen, hide the cursor, and disable line wrapping in case a character is wider than assumed.
    private const string EnterSequence = "\e[?1049h\e[?25l\e[?7l\e[m\e[H\e[2J";
    private const string LeaveSequence = "\e[m\e[?7h\e[?25h\e[?1049l";

    // Indexed by LineStyle.
    private static readonly string[] Attributes = ["", "\e[1m", "\e[7m", "\e[32m", "\e[33m"];

    private readonly Lock _lock = new();
    private readonly DescriptorStream _output = new(DescriptorStream.Output);
    private readonly Keyboard _keyboard;
    private readonly StringBuilder _frame = new();
    private readonly List<PosixSignalRegistration> _registrations;
    private readonly bool _isColorless;
    private int _row;
    private bool _isEntered;
    private bool _hasEnded;

    private LiveScreen(Keyboard keyboard, bool isColorless)
    {
        Debug.Assert(!OperatingSystem.IsWindows(), "Terminal.WindowSize is null there.");
        (_keyboard, _isColorless) = (keyboard, isColorless);
        MeasureSize();
        _registrations =
        [
            // Other handlers decide the effect of these signals. Restore the terminal now, because a handler may end the process.
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

    public bool IsClosed => _keyboard.IsClosed;

    /// <returns>The screen; null if standard output is not a suitable terminal, or if there is no keyboard.</returns>
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

    /// <summary>Begins a frame. Updates <see cref="Columns"/> and <see cref="Rows"/> to the current size of the terminal.</summary>
    public void Begin()
    {
        MeasureSize();
        _frame.Clear();
        _row = 0;
    }

    /// <summary>Adds the next line of the frame. Lines and columns beyond the screen are omitted.</summary>
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

        // A full line leaves the cursor at the last column, where this sequence would clear the last character.
        if (width < Columns)
        {
            _frame.Append("\e[K");
        }
    }

    /// <summary>Replaces the previous frame with this one, with a single write.</summary>
    /// <param name="cursor">The zero-based column and row of the visible cursor; null to hide it.</param>
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

    public Key? ReadKey(TimeSpan timeout) => _keyboard.Read(timeout);

    public void Wake() => _keyboard.Wake();

    public void Dispose()
    {
        End();
        _registrations.ForEach(registration => registration.Dispose());
        _keyboard.Dispose();
    }

    // Also called after SIGSTOP, which cannot be handled: the shell has then set its own mode.
    private void Enter()
    {
        lock (_lock)
        {
            if (_hasEnded)
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
            _hasEnded = true;
            Leave();
        }
    }

    // SIGSTOP to this thread stops the process before the call returns, and SIGCONT resumes it. A process that no other process could
    // resume must not be stopped; the kernel also ignores SIGTSTP in this case.
    private void Suspend(PosixSignalContext context)
    {
        context.Cancel = true;
        if (HasJobControl())
        {
            Leave();
            _ = LibC.raise(LibC.SIGSTOP);
        }
    }

    // Canceled because the runtime would otherwise restore the terminal mode from the start of the program.
    private void Resume(PosixSignalContext context)
    {
        context.Cancel = true;
        Enter();
    }

    // Returns whether this process group is not orphaned: it has an ancestor in the same session but outside the group.
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

    // Ignores a closed terminal.
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
