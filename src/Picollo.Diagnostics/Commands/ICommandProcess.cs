using Picollo.Cpu;

namespace Picollo.Diagnostics;

/// <summary>A command's process, as far as systems differ.</summary>
internal interface ICommandProcess : IDisposable
{
    int Id { get; }

    /// <summary>Sends a signal; nothing where the command has ended.</summary>
    void Signal(int signal);

    /// <summary>Kills the command if it has not ended. May be called while another thread is in <see cref="Wait"/>, which then
    /// returns or throws.</summary>
    void Kill();

    CommandEnd Wait();
}

/// <summary>How a command ended.</summary>
/// <param name="Status">Its exit code; where <paramref name="IsSignal"/>, the number of the signal that ended it.</param>
/// <param name="IsSignal">Whether a signal ended it.</param>
/// <param name="ElapsedNanoseconds">See <see cref="CommandRun.ElapsedNanoseconds"/>.</param>
/// <param name="Usage">See <see cref="CommandRun.Usage"/>.</param>
internal readonly record struct CommandEnd(int Status, bool IsSignal, long ElapsedNanoseconds, ResourceUsage Usage);
