using System.Diagnostics;
using System.Globalization;
using System.Runtime.InteropServices;
using System.Text;
using Picollo.Cpu.Linux;
using Picollo.Interop.Linux;

namespace Picollo.Cli.Shell;

/// <summary>A terminal that a command has to itself: its other screen, no cursor, each key as it is typed. Whatever ends the command or
/// stops it, but SIGKILL, leaves the terminal as it was. Linux.</summary>
/// <remarks>Frames are drawn and keys read by one thread; signals come on others.</remarks>
internal sealed class LiveScreen : IDisposable
{
    // The other screen, no cursor; and no wrapping at the last column, should a character be wider than it is thought to be.
    private const string EnterSequence = "\e[?1049h\e[?25l\e[?7l\e[m\e[H\e[2J";
    private const string LeaveSequence = "\e[m\e[?7h\e[?25h\e[?1049l";

    private readonly Lock _lock = new();
    private readonly DescriptorStream _output = new(StandardDescriptor.Output);
    private readonly Keyboard _keyboard;
    private readonly TerminalMode _mode;
    private readonly StringBuilder _frame = new();
    private readonly List<PosixSignalRegistration> _registrations;
    private readonly bool _isColorless;
    private int _row;
    private bool _isEntered;
    private bool _isOver;

    private LiveScreen(Keyboard keyboard, bool isColorless)
    {
        Debug.Assert(!OperatingSystem.IsWindows(), "WindowSize.Current is null there.");
        (_keyboard, _isColorless) = (keyboard, isColorless);
        _mode = new TerminalMode(keyboard.Descriptor);
        MeasureSize();
        _registrations =
        [
            // What these do is for others to say; if it is to end the process, there is nobody left to put the terminal right.
            On(PosixSignal.SIGINT, _ => End()),
            On(PosixSignal.SIGTERM, _ => End()),
            On(PosixSignal.SIGHUP, _ => End()),
            On(PosixSignal.SIGQUIT, _ => End()),
            On(PosixSignal.SIGTSTP, Suspend),
            On(PosixSignal.SIGCONT, Resume),
            On(PosixSignal.SIGWINCH, _ => keyboard.Wake()),
        ];
        Enter();
    }

    public int Columns { get; private set; }

    public int Rows { get; private set; }

    /// <summary>Nobody will type any more.</summary>
    public bool IsGone => _keyboard.IsGone;

    /// <summary>Takes the terminal over.</summary>
    /// <returns>Null where standard output is none that can be, or where there is nothing to type at.</returns>
    public static LiveScreen? TryOpen(Terminal terminal)
    {
        if (WindowSize.Current is null
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

    /// <summary>Adds the next line of the frame; what is beyond the screen is left out.</summary>
    /// <param name="text">Without control characters.</param>
    /// <param name="isBold">In bold letters, where the user wants attributes.</param>
    /// <param name="isReverse">Dark on light, over the whole line, the same.</param>
    public void Add(string text, bool isBold = false, bool isReverse = false)
    {
        if (_row == Rows)
        {
            return;
        }

        _row++;
        string attributes = _isColorless ? "" : $"{(isBold ? "\e[1m" : "")}{(isReverse ? "\e[7m" : "")}";
        _frame.Append(CultureInfo.InvariantCulture, $"\e[{_row}H{attributes}");
        int width = CellText.AppendFitting(_frame, text, Columns);
        if (isReverse && attributes.Length > 0)
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

    /// <summary>Shows the frame, by one write, over the one before.</summary>
    /// <param name="cursor">Where a visible cursor stands, column and row from 0; null for none.</param>
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

    private static PosixSignalRegistration On(PosixSignal signal, Action<PosixSignalContext> handle) =>
        PosixSignalRegistration.Create(signal, handle);

    // Also after a stop that could not be seen coming (SIGSTOP): the shell has then set the terminal up for itself.
    private void Enter()
    {
        lock (_lock)
        {
            if (_isOver)
            {
                return;
            }

            _mode.SetKeys();
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
                _mode.Restore();
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

    // SIGSTOP to this thread stops the process before the call returns; what follows is left to SIGCONT. A process that nobody could
    // continue is not to be stopped: the kernel ignores SIGTSTP for it, where a program leaves that to the kernel.
    private void Suspend(PosixSignalContext context)
    {
        context.Cancel = true;
        if (HasJobControl())
        {
            Leave();
            _ = LibC.raise(LibC.SIGSTOP);
        }
    }

    // What the runtime does then by itself is to set the terminal up as it found it at the start.
    private void Resume(PosixSignalContext context)
    {
        context.Cancel = true;
        Enter();
    }

    // Whether this is no orphaned process group, as far as its ancestors can tell: one of them, of the same session and outside of the
    // group, waits for it.
    private static bool HasJobControl()
    {
        int process = LibC.getppid();
        while (process > 0 && LibC.getpgid(process) == LibC.getpgid(0))
        {
            process = ParentOf(process);
        }

        return process > 0 && LibC.getsid(process) == LibC.getsid(0);
    }

    // 0 where it has ended.
    private static int ParentOf(int process) =>
        ProcTaskStat.TryRead(process, stackalloc byte[ProcTaskStat.MaxLength], out ProcTaskStat stat) ? stat.ParentId : 0;

    private void MeasureSize() => (Columns, Rows) = WindowSize.Current ?? (Math.Max(Columns, 1), Math.Max(Rows, 1));

    // Where the terminal has gone there is nothing to put right.
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
