using System.Collections.ObjectModel;
using System.ComponentModel;
using Picollo.Diagnostics.Commands.Linux;
using Picollo.PerfEvent;

namespace Picollo.Diagnostics;

/// <summary>A running command.</summary>
/// <remarks><see cref="SendSignal"/> can be called by any thread at any time. All other members must be used by one thread.</remarks>
public sealed class RunningCommand : IDisposable
{
    private const int SignalBase = 128;

    private readonly MeasuredCommand _command;
    private readonly ICommandProcess _process;
    private readonly PerfEventCounterSession? _counters;
    private readonly IReadOnlyDictionary<string, MeasurementUnavailableException>? _unavailable;
    private readonly CommandThreads? _threads;
    private readonly CommandIntervals? _intervals;
    private Task<CommandRun>? _waiting;
    private bool _isDisposed;

    internal RunningCommand(
        MeasuredCommand command,
        ICommandProcess process,
        PerfEventCounterSession? counters,
        IReadOnlyDictionary<string, MeasurementUnavailableException>? unavailable,
        CommandThreads? threads = null,
        CommandIntervals? intervals = null)
    {
        (_command, _process, _counters, _unavailable) = (command, process, counters, unavailable);
        (_threads, _intervals) = (threads, intervals);
    }

    /// <summary>The process ID of the command.</summary>
    public int Id => _process.Id;

    /// <summary>Sends a signal to the command. Does nothing if it has exited. On Windows, any signal ends the command.</summary>
    /// <param name="signal">The system's signal number, 1 to 64.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="signal"/> is outside its range.</exception>
    public void SendSignal(int signal)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(signal, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(signal, 64);
        _process.Signal(signal);
    }

    /// <summary>Waits until the command exits, but not for processes that it leaves running. Further calls return the same
    /// result.</summary>
    /// <returns>The result of the run.</returns>
    /// <exception cref="Win32Exception">The command could not be executed, or its directory could not be entered.
    /// <see cref="Win32Exception.NativeErrorCode"/> is the system's error number: on Linux, ENOENT (2) or ENOTDIR (20) if there is no such
    /// program or directory.</exception>
    /// <exception cref="MeasurementUnavailableException">The program that waits for the command was killed. The command was killed with it,
    /// unless it is a set-user-ID program.</exception>
    /// <exception cref="ObjectDisposedException">The object was disposed before the first wait.</exception>
    public CommandRun Wait()
    {
        if (_waiting is null)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);

            // A task stores an exception as well as a result, so later calls throw it again. This task runs on the calling thread.
            _waiting = new Task<CommandRun>(WaitForEnd);
            _waiting.RunSynchronously(TaskScheduler.Default);
        }

        return _waiting.GetAwaiter().GetResult();
    }

    /// <summary>Waits until the command exits, on a separate thread.</summary>
    /// <param name="cancellationToken">The token to cancel the wait. The command continues: use <see cref="SendSignal"/> or
    /// <see cref="Dispose"/> to end it. A canceled wait can be repeated.</param>
    /// <returns>The result of the run.</returns>
    /// <exception cref="OperationCanceledException">The wait was canceled.</exception>
    /// <inheritdoc cref="Wait" path="/exception"/>
    public Task<CommandRun> WaitAsync(CancellationToken cancellationToken = default)
    {
        ObjectDisposedException.ThrowIf(_isDisposed && _waiting is null, this);
        _waiting ??= Task.Factory.StartNew(
            WaitForEnd, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        return _waiting.WaitAsync(cancellationToken);
    }

    /// <summary>Returns the program and its arguments separated by spaces, and quoted as a shell requires, for display.</summary>
    /// <returns>The command.</returns>
    public override string ToString() => _command.Text;

    /// <summary>Kills the command if it has not exited. On Linux, the command is also killed when this process exits for any
    /// reason.</summary>
    /// <remarks>A command that runs as another user, such as <c>sudo</c>, continues if this process may not signal it. In this case, this
    /// method waits until the command exits.</remarks>
    public void Dispose()
    {
        if (_isDisposed)
        {
            return;
        }

        _isDisposed = true;
        if (_waiting is { } waiting)
        {
            // The waiting thread uses the objects that are disposed below.
            _process.Kill();
            ((IAsyncResult)waiting).AsyncWaitHandle.WaitOne();
            _ = waiting.Exception; // observed, because the caller that waits receives it
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
            TerminationSignal = end.IsSignal ? end.Status : null,
            Counters = _counters is null ? [] : [.. _counters.Counters.Select(counter => new CommandCounter(
                counter.Name, counter.Value, counter.RunningShare, counter.Definition.IsClock))],
            UnavailableCounters = _unavailable ?? ReadOnlyDictionary<string, MeasurementUnavailableException>.Empty,
            Threads = _threads?.Stop() ?? [],
            IsAttached = _process is AttachedProcess,
        };
    }
}
