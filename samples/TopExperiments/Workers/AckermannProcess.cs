using System.Diagnostics;

namespace Picollo.Samples.Top;

/// <summary>An <see cref="AckermannProgram"/> in its own process. Disposing ends it.</summary>
public sealed class AckermannProcess : IDisposable
{
    private static readonly TimeSpan Limit = TimeSpan.FromMinutes(3);

    private readonly Process _process;
    private readonly List<string> _lines = [];

    /// <param name="program">The program.</param>
    /// <param name="nice">The niceness, set by <c>nice</c>; null to keep the caller's.</param>
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

    /// <summary>What it has printed so far.</summary>
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

    /// <summary>Waits until it has ended and all that it printed is in <see cref="Lines"/>.</summary>
    /// <returns>What <c>time</c> prints of it.</returns>
    /// <exception cref="WorkerException">It did not end, or failed.</exception>
    public Times WaitForEnd()
    {
        if (!_process.WaitForExit(Limit))
        {
            throw new WorkerException($"the program was not done after {Limit.TotalSeconds:0} s");
        }

        _process.WaitForExit(); // for the rest of the output
        return Times.TryParse(Lines, out Times? times)
            ? times
            : throw new WorkerException($"the program ended with {_process.ExitCode}: {string.Join("; ", Lines)}");
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
