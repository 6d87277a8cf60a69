using System.Diagnostics;

namespace Picollo.Samples.Top;

/// <summary>Starts a <see cref="Worker"/> in a separate process. Disposing ends the process.</summary>
public sealed class WorkerProcess : IDisposable
{
    private static readonly TimeSpan AnswerLimit = TimeSpan.FromSeconds(20);
    private static readonly TimeSpan ExitLimit = TimeSpan.FromSeconds(2);

    private readonly Process _process;

    /// <exception cref="WorkerException">The worker did not start, or the system rejected its options.</exception>
    public WorkerProcess(WorkerOptions options)
    {
        ProcessStartInfo start = Commands.Of(nice: null, Commands.Self, options.ToArguments());
        start.RedirectStandardInput = true;
        _process = Process.Start(start) ?? throw new WorkerException("the worker did not start");
        try
        {
            Expect(Worker.Ready);
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    public int Id => _process.Id;

    public bool HasExited => _process.HasExited;

    /// <summary>Starts the computation, and returns when it has started.</summary>
    public void Go()
    {
        _process.StandardInput.WriteLine();
        _process.StandardInput.Flush();
        Expect(Worker.Computing);
    }

    public void Dispose()
    {
        if (!_process.HasExited)
        {
            _process.StandardInput.Close();
            if (!_process.WaitForExit(ExitLimit))
            {
                _process.Kill();
                _process.WaitForExit(ExitLimit);
            }
        }

        _process.Dispose();
    }

    private void Expect(string answer)
    {
        Task<string?> line = _process.StandardOutput.ReadLineAsync();
        string? response = line.Wait(AnswerLimit) ? line.Result : "the worker does not respond";
        if (response != answer)
        {
            throw new WorkerException(response ?? "the worker exited early");
        }
    }
}

/// <summary>A failure of a worker or program. The message is short, because it is printed in a table.</summary>
public sealed class WorkerException(string message) : Exception(message);
