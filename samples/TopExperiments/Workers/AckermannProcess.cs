using System.Diagnostics;

namespace Picollo.Samples.Top;

/// <summary>Runs an <see cref="AckermannProgram"/> in a separate process. Disposing ends the process.</summary>
public sealed class AckermannProcess : IDisposable
{
    private static readonly TimeSpan Limit = TimeSpan.FromMinutes(3);

    private readonly Process _process;
    private readonly List<string> _lines = [];

    /// <param name="program">The program.</param>
    /// <param name="nice">The niceness, set by <c>nice</c>, or <see langword="null"/> to keep that of the caller.</param>
    public AckermannProcess(AckermannProgram program, int? nice = null)
    {
        _process = new Process { StartInfo = Commands.Of(nice, Commands.Self, program.ToArguments()) };
        _process.OutputDataReceived += (_, line) =>
        {
            if (line.Data is { } text)
            {
                lock (_lines)
                {
                    _lines.Add(text);
                }
            }
        };
        _process.Start();
        _process.BeginOutputReadLine();
    }

    public int Id => _process.Id;

    /// <summary>The lines that the program has printed so far.</summary>
    public IReadOnlyList<string> Lines
    {
        get
        {
            lock (_lines)
            {
                return [.. _lines];
            }
        }
    }

    /// <summary>Waits until the program has exited and <see cref="Lines"/> is complete.</summary>
    /// <returns>The times that <c>time</c> prints.</returns>
    /// <exception cref="WorkerException">The program did not exit, or failed.</exception>
    public Times WaitForEnd()
    {
        if (!_process.WaitForExit(Limit))
        {
            throw new WorkerException($"the program did not exit within {Limit.TotalSeconds:0} s");
        }

        _process.WaitForExit(); // for the rest of the output
        return Times.TryParse(Lines, out Times? times)
            ? times
            : throw new WorkerException($"the program failed with exit code {_process.ExitCode}: {string.Join("; ", Lines)}");
    }

    public void Dispose()
    {
        if (!_process.HasExited)
        {
            _process.Kill();
            _process.WaitForExit();
        }

        _process.Dispose();
    }
}
