namespace Picollo.Cli.Shell;

/// <summary>Handles Ctrl+C, SIGTERM and SIGHUP while a command runs. The first signal asks the command to end and print its summary; the
/// second one ends the process immediately, unless <see cref="Repeated"/> is set.</summary>
internal sealed class Interrupt : IDisposable
{
    /// <summary>The number that a shell adds to the signal number in the exit code of a program that was ended by a signal.</summary>
    private const int SignalBase = 128;

    /// <summary>The time within which a second signal belongs to the first: timeout(1), and supervisors that signal both the process and
    /// its group, send each signal twice.</summary>
    private static readonly TimeSpan DuplicateSignalWindow = TimeSpan.FromMilliseconds(200);

    private readonly CancellationTokenSource _source = new();
    private long _first; // timestamp of the first signal; 0 before it
    private readonly List<PosixSignalRegistration> _registrations;

    public Interrupt() => _registrations = [Register(PosixSignal.SIGINT), Register(PosixSignal.SIGTERM), Register(PosixSignal.SIGHUP)];

    public CancellationToken Token => _source.Token;

    /// <summary>Receives the numbers of all signals after the first, which then do not end the process.</summary>
    public Action<int>? Repeated { get; set; }

    /// <summary>The number of the first signal; null if there was none.</summary>
    public int? Signal { get; private set; }

    public int? ExitCode => SignalBase + Signal;

    /// <summary>Returns whether an exit code means that one of these signals ended the program.</summary>
    public static bool IsExitCode(int exitCode) => exitCode - SignalBase is Signals.Hangup or Signals.Interrupt or Signals.Terminate;

    /// <summary>Stops handling signals. Does not dispose the token source, because a signal that has just arrived may still cancel
    /// it.</summary>
    public void Dispose() => _registrations.ForEach(registration => registration.Dispose());

    /// <summary>Handles a signal on the runtime's signal thread, where an exception would end the process.</summary>
    internal void Receive(PosixSignalContext context)
    {
        long first = Interlocked.CompareExchange(ref _first, Stopwatch.GetTimestamp(), 0);
        bool isDuplicate = first != 0 && Stopwatch.GetElapsedTime(first) < DuplicateSignalWindow;
        context.Cancel = first == 0 || isDuplicate || Repeated is not null;
        int number = context.Signal switch
        {
            PosixSignal.SIGINT => Signals.Interrupt,
            PosixSignal.SIGTERM => Signals.Terminate,
            _ => Signals.Hangup,
        };
        if (first != 0)
        {
            if (!isDuplicate)
            {
                Repeated?.Invoke(number);
            }

            return;
        }

        Signal = number;
        try
        {
            _source.Cancel();
        }
        catch (AggregateException)
        {
            // A callback failed. The token is canceled, and all other callbacks have run.
        }
    }

    private PosixSignalRegistration Register(PosixSignal signal) => PosixSignalRegistration.Create(signal, Receive);
}
