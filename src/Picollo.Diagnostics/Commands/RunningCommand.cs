using System.ComponentModel;
using Picollo.PerfEvent;

namespace Picollo.Diagnostics;

/// <summary>A command under way.</summary>
/// <remarks><see cref="Signal"/> may be called by any thread at any time; all else by one thread.</remarks>
public sealed class RunningCommand : IDisposable
{
    private const int SignalBase = 128;

    private readonly MeasuredCommand _command;
    private readonly ICommandProcess _process;
    private readonly PerfEventCounterSession? _counters;
    private readonly IReadOnlyList<UnavailablePerfCounter> _unavailable;
    private readonly CommandThreads? _threads;
    private readonly CommandIntervals? _intervals;
    private Task<CommandRun>? _waiting;
    private bool _isDisposed;

    internal RunningCommand(
        MeasuredCommand command,
        ICommandProcess process,
        PerfEventCounterSession? counters,
        IReadOnlyList<UnavailablePerfCounter> unavailable,
        CommandThreads? threads = null,
        CommandIntervals? intervals = null)
    {
        (_command, _process, _counters, _unavailable) = (command, process, counters, unavailable);
        (_threads, _intervals) = (threads, intervals);
    }

    /// <summary>The command's process.</summary>
    public int Id => _process.Id;

    /// <summary>Sends the command a signal. Does nothing when it has ended. On Windows any signal ends it.</summary>
    /// <param name="signal">The system's number, 1 to 64.</param>
    /// <exception cref="ArgumentOutOfRangeException">Outside of that range.</exception>
    public void Signal(int signal)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(signal, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(signal, 64);
        _process.Signal(signal);
    }

    /// <summary>Waits for the command's end, not for what it leaves running. Called again, gives the same.</summary>
    /// <returns>How it ended and what it took.</returns>
    /// <exception cref="Win32Exception">The command could not be executed. <see cref="Win32Exception.NativeErrorCode"/> is the system's
    /// error number: on Linux ENOENT (2) or ENOTDIR (20) if there is no such program.</exception>
    /// <exception cref="MeasurementUnavailableException">What waits for the command was killed, and with it the command,
    /// unless that is a set-user-ID program.</exception>
    /// <exception cref="ObjectDisposedException">This was disposed before anything waited.</exception>
    public CommandRun Wait()
    {
        if (_waiting is null)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);

            // A task keeps an exception, too, to be given again. It runs on this thread.
            _waiting = new Task<CommandRun>(WaitForEnd);
            _waiting.RunSynchronously(TaskScheduler.Default);
        }

        return _waiting.GetAwaiter().GetResult();
    }

    /// <summary>Waits as <see cref="Wait"/> does, on a thread that this creates.</summary>
    /// <param name="cancellationToken">Ends the wait, not the command: <see cref="Signal"/> and <see cref="Dispose"/> end it, and it can
    /// be waited for again.</param>
    /// <returns>How it ended and what it took.</returns>
    /// <exception cref="OperationCanceledException">The wait was canceled.</exception>
    /// <inheritdoc cref="Wait" path="/exception"/>
    public Task<CommandRun> WaitAsync(CancellationToken cancellationToken = default)
    {
        ObjectDisposedException.ThrowIf(_isDisposed && _waiting is null, this);
        _waiting ??= Task.Factory.StartNew(
            WaitForEnd, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        return _waiting.WaitAsync(cancellationToken);
    }

    /// <summary>The program and its arguments with blanks between, quoted where a shell would need it. For people to read.</summary>
    /// <returns>The command.</returns>
    public override string ToString() => _command.Text;

    /// <summary>Kills the command if it has not ended. On Linux the end of this process, by whatever means, does the same.</summary>
    /// <remarks>A command that has become another user's, such as <c>sudo</c>, runs on where this process may not signal it. This method
    /// then waits for its end.</remarks>
    public void Dispose()
    {
        if (_isDisposed)
        {
            return;
        }

        _isDisposed = true;
        if (_waiting is { } waiting)
        {
            // It reads what is disposed below.
            _process.Kill();
            ((IAsyncResult)waiting).AsyncWaitHandle.WaitOne();
            _ = waiting.Exception; // observed: whoever waited has it, or no longer wants it
        }

        _process.Dispose();
        _threads?.Dispose();
        _intervals?.Dispose();
        _counters?.Dispose();
    }

    private CommandRun WaitForEnd()
    {
        CommandEnd end = _process.Wait();
        _intervals?.Stop();
        _counters?.Read(forceSyscallRead: true);
        return new CommandRun
        {
            ElapsedNanoseconds = end.ElapsedNanoseconds,
            Usage = end.Usage,
            ExitCode = end.IsSignal ? SignalBase + end.Status : end.Status,
            Signal = end.IsSignal ? end.Status : null,
            Counters = _counters is null ? [] : [.. _counters.Counters.Select(counter => new CommandCounter(
                counter.Name, counter.Value, counter.RunningShare, counter.Definition.IsClock))],
            UnavailableCounters = _unavailable,
            Threads = _threads?.Stop() ?? [],
            IsAttached = _process is AttachedProcess,
        };
    }
}
