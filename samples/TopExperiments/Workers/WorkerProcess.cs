using System.Diagnostics;

namespace Picollo.Samples.Top;

/// <summary>A <see cref="Worker"/> as its parent sees it. Disposing ends it.</summary>
public sealed class WorkerProcess : IDisposable
{
    private static readonly TimeSpan AnswerLimit = TimeSpan.FromSeconds(20);
    private static readonly TimeSpan PoliteEnd = TimeSpan.FromSeconds(2);

    private readonly Process _process;

    /// <exception cref="WorkerException">The system did not let it do what it was asked for.</exception>
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

    /// <summary>Lets it compute, and returns when it does.</summary>
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
            if (!_process.WaitForExit(PoliteEnd))
            {
                _process.Kill();
                _process.WaitForExit(PoliteEnd);
            }
        }

        _process.Dispose();
    }

    private void Expect(string answer)
    {
        Task<string?> line = _process.StandardOutput.ReadLineAsync();
        string? said = line.Wait(AnswerLimit) ? line.Result : "it does not answer";
        if (said != answer)
        {
            throw new WorkerException(said ?? "the worker ended early");
        }
    }
}

/// <summary>Why a worker does not do what it was asked for, in words for a table.</summary>
public sealed class WorkerException(string message) : Exception(message);
