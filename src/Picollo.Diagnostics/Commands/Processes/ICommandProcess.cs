using Picollo.Cpu;

namespace Picollo.Diagnostics;

/// <summary>The system-dependent part of a command's process.</summary>
internal interface ICommandProcess : IDisposable
{
    int Id { get; }

    /// <summary>Sends a signal. Does nothing if the command has exited.</summary>
    void Signal(int signal);

    /// <summary>Kills the command if it has not exited. Can be called while another thread is in <see cref="Wait"/>, which then returns or
    /// throws.</summary>
    void Kill();

    CommandEnd Wait();
}

/// <summary>The end of a command: the exit code or the number of the signal that ended it, and values for
/// <see cref="CommandRun"/>.</summary>
internal readonly record struct CommandEnd(int Status, bool IsSignal, long ElapsedNanoseconds, ResourceUsage Usage);
