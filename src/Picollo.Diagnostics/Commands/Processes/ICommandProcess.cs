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

/// <summary>The end of a command.</summary>
/// <param name="Status">The exit code; if <paramref name="IsSignal"/> is true, the number of the signal that ended the command.</param>
/// <param name="IsSignal">Whether a signal ended the command.</param>
/// <param name="ElapsedNanoseconds">The value for <see cref="CommandRun.ElapsedNanoseconds"/>.</param>
/// <param name="Usage">The value for <see cref="CommandRun.Usage"/>.</param>
internal readonly record struct CommandEnd(int Status, bool IsSignal, long ElapsedNanoseconds, ResourceUsage Usage);
