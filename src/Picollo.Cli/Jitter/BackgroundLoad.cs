using Picollo.Diagnostics;

namespace Picollo.Cli.Jitter;

/// <summary>A command that runs beside the measurement, in a process group of its own.</summary>
internal sealed class BackgroundLoad : IDisposable
{
    // On Linux.
    private const int Kill = 9;
    private const int Terminate = 15;
    private const int Continue = 18;

    /// <summary>Between the question and the kill.</summary>
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(1);

    private readonly RunningCommand _running;
    private readonly Task<CommandRun> _end;

    /// <summary>Starts it.</summary>
    /// <exception cref="CommandStartException">See <see cref="CommandMeter.Start"/>.</exception>
    public BackgroundLoad(MeasuredCommand command)
    {
        _running = new CommandMeter().Start(command);
        _end = Task.Factory.StartNew(_running.Wait, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
    }

    /// <summary>How it ended; null while it runs.</summary>
    /// <exception cref="CommandStartException">It could not be executed.</exception>
    public CommandRun? End => _end.IsCompleted ? _end.GetAwaiter().GetResult() : null;

    /// <summary>Ends it, and all of its group: it is asked, and a second later killed.</summary>
    public void Dispose()
    {
        if (!_end.IsCompleted)
        {
            _running.Signal(Terminate);
            _running.Signal(Continue); // what is stopped would not learn of it
            if (Task.WaitAny([_end], Patience) < 0)
            {
                _running.Signal(Kill);
                Task.WaitAny(_end);
            }
        }

        _running.Dispose();
    }
}
