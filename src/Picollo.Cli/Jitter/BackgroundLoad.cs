using System.ComponentModel;
using Picollo.Diagnostics;

namespace Picollo.Cli.Jitter;

/// <summary>A command that runs during the measurement, in its own process group.</summary>
internal sealed class BackgroundLoad : IDisposable
{
    /// <summary>The time between SIGTERM and SIGKILL.</summary>
    private static readonly TimeSpan GracePeriod = TimeSpan.FromSeconds(1);

    private readonly RunningCommand _running;
    private readonly Task<CommandRun> _end;

    /// <summary>Starts the command.</summary>
    /// <exception cref="Win32Exception">See <see cref="CommandMeter.Start(MeasuredCommand)"/>.</exception>
    public BackgroundLoad(MeasuredCommand command)
    {
        _running = new CommandMeter().Start(command);
        _end = Task.Factory.StartNew(_running.Wait, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
    }

    /// <summary>The result of the command; null while it runs.</summary>
    /// <exception cref="Win32Exception">The command could not be executed.</exception>
    public CommandRun? End => _end.IsCompleted ? _end.GetAwaiter().GetResult() : null;

    /// <summary>Terminates all processes of the command's process group with SIGTERM, and with SIGKILL a second later.</summary>
    public void Dispose()
    {
        if (!_end.IsCompleted)
        {
            _running.Signal(Signals.Terminate);
            _running.Signal(Signals.Continue); // otherwise a stopped process would not receive SIGTERM
            if (Task.WaitAny([_end], GracePeriod) < 0)
            {
                _running.Signal(Signals.Kill);
                Task.WaitAny(_end);
            }
        }

        _running.Dispose();
    }
}
