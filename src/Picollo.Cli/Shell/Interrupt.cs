using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Picollo.Cli.Shell;

/// <summary>Ctrl+C and SIGTERM while a command runs: it is asked to end, and prints its summary; asked again, the process ends as it is.</summary>
internal sealed class Interrupt : IDisposable
{
    /// <summary>timeout(1), and a supervisor that signals the process and its group, send one request twice.</summary>
    private static readonly TimeSpan SameRequest = TimeSpan.FromMilliseconds(200);

    private readonly CancellationTokenSource _source = new();
    private long _first; // a timestamp; 0 before the first signal
    private readonly List<PosixSignalRegistration> _registrations;

    public Interrupt() => _registrations = [Register(PosixSignal.SIGINT), Register(PosixSignal.SIGTERM), Register(PosixSignal.SIGHUP)];

    public CancellationToken Token => _source.Token;

    /// <summary>The first signal, as a shell tells it in an exit code: 128 and its number; null if there was none.</summary>
    public int? ExitCode { get; private set; }

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

        ExitCode = 128 + signal switch { PosixSignal.SIGINT => 2, PosixSignal.SIGTERM => 15, _ => 1 };
        _source.Cancel();
    });
}
