using System.Diagnostics.CodeAnalysis;

namespace Picollo.Cpu;

/// <summary>Exactly the process that a sample of <see cref="SystemCpu"/> found, held so that no other with its id can take its place. Linux 5.3.</summary>
public sealed class RunningProcess : IDisposable
{
    private RunningProcess(int id) => Id = id;

    /// <summary>The process's id.</summary>
    public int Id { get; }

    /// <summary>Takes hold of a process.</summary>
    /// <param name="process">As a sample found it.</param>
    /// <param name="running">The process, or null.</param>
    /// <param name="problem">Why not: it has ended, its id is another's by now, or the system has no such thing; null where it
    /// succeeded.</param>
    /// <returns>Whether it is still that process.</returns>
    public static bool TryOpen(in ProcessCpu process, [NotNullWhen(true)] out RunningProcess? running, [NotNullWhen(false)] out string? problem) => throw new NotImplementedException();

    /// <summary>Sends it a signal.</summary>
    /// <param name="signal">The system's number, 1 to 64.</param>
    /// <param name="problem">Why not (ended, not permitted); null where it succeeded.</param>
    /// <returns>Whether it was sent.</returns>
    public bool TrySignal(int signal, [NotNullWhen(false)] out string? problem) => throw new NotImplementedException();

    /// <summary>Changes the niceness of all its threads.</summary>
    /// <param name="nice">-20 to 19.</param>
    /// <param name="problem">Why not (ended, not permitted); null where it succeeded.</param>
    /// <returns>Whether it was changed.</returns>
    public bool TrySetNice(int nice, [NotNullWhen(false)] out string? problem) => throw new NotImplementedException();

    /// <summary>Lets it go.</summary>
    public void Dispose()
    {
    }
}
