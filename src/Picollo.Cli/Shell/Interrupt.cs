using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Picollo.Cli.Shell;

/// <summary>Ctrl+C and SIGTERM while a command runs: it is asked to end, and prints its summary; asked again, the process ends as it
/// is.</summary>
internal sealed class Interrupt : IDisposable
{
    /// <summary>SIGTERM.</summary>
    public const int Terminated = 15;

    private const int Hangup = 1; // SIGHUP
    private const int Interrupted = 2; // SIGINT

    /// <summary>timeout(1), and a supervisor that signals the process and its group, send one request twice.</summary>
    private static readonly TimeSpan SameRequest = TimeSpan.FromMilliseconds(200);

    private readonly CancellationTokenSource _source = new();
    private long _first; // a timestamp; 0 before the first signal
    private readonly List<PosixSignalRegistration> _registrations;

    public Interrupt() => _registrations = [Register(PosixSignal.SIGINT), Register(PosixSignal.SIGTERM), Register(PosixSignal.SIGHUP)];

    public CancellationToken Token => _source.Token;

    /// <summary>The first signal, by its number; null if there was none.</summary>
    public int? Signal { get; private set; }

    /// <summary>The same as an exit code.</summary>
    public int? ExitCode => Signal is { } signal ? ExitCodes.OfSignal(signal) : null;

    /// <summary>Whether a program that ends so was ended by one of these signals, or says that it was.</summary>
    public static bool IsExitCode(int exitCode) =>
        exitCode == ExitCodes.OfSignal(Hangup)
        || exitCode == ExitCodes.OfSignal(Interrupted)
        || exitCode == ExitCodes.OfSignal(Terminated);

    public void Dispose()
    {
        _registrations.ForEach(registration => registration.Dispose());
        _source.Dispose();
    }

    private PosixSignalRegistration Register(PosixSignal signal) => PosixSignalRegistration.Create(signal, context =>
    {
        long first = Interlocked.CompareExchange(ref _first, Stopwatch.GetTimestamp(), 0);
        context.Cancel = first == 0 || Stopwatch.GetElapsedTime(first) < SameRequest;
        if (first != 0)
        {
            return;
        }

        Signal = signal switch { PosixSignal.SIGINT => Interrupted, PosixSignal.SIGTERM => Terminated, _ => Hangup };
        _source.Cancel();
    });
}
