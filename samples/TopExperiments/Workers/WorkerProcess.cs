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
        (string program, string[] arguments) = Command();
        ProcessStartInfo start = new(program, [.. arguments, .. options.ToArguments()])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
        };
        // The runtime's diagnostics leave a socket in the temporary folder when their process is killed.
        start.Environment["DOTNET_EnableDiagnostics"] = "0";
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

    /// <summary>Starts several workers, or none: one that cannot be started ends those before it.</summary>
    public static WorkerProcess[] StartAll(params WorkerOptions[] options)
    {
        List<WorkerProcess> workers = [];
        try
        {
            foreach (WorkerOptions one in options)
            {
                workers.Add(new WorkerProcess(one));
            }
        }
        catch
        {
            workers.ForEach(worker => worker.Dispose());
            throw;
        }

        return [.. workers];
    }

    /// <summary>Lets it compute, and returns when it does.</summary>
    public void Go()
    {
        _process.StandardInput.WriteLine();
        _process.StandardInput.Flush();
        Expect(Worker.Computing);
    }

    /// <exception cref="WorkerException">It does not end.</exception>
    public void WaitForEnd(TimeSpan limit)
    {
        if (!_process.WaitForExit(limit))
        {
            throw new WorkerException($"the worker was not done after {limit.TotalSeconds:0} s");
        }
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

    /// <summary>This program once more, also where another one has loaded it, as a test host does.</summary>
    private static (string Program, string[] Arguments) Command()
    {
        string assembly = typeof(Worker).Assembly.GetName().Name!;
        string? program = Environment.ProcessPath;
        return Path.GetFileNameWithoutExtension(program) == assembly
            ? (program!, [])
            : (Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") ?? "dotnet", ["exec", Path.Combine(AppContext.BaseDirectory, assembly + ".dll")]);
    }
}

/// <summary>Why a worker does not do what it was asked for, in words for a table.</summary>
public sealed class WorkerException(string message) : Exception(message);
