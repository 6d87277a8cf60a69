using Picollo.Cpu.Linux;
using Picollo.Interop.Linux;

namespace Picollo.Diagnostics.Linux;

/// <summary>struct report of native/picollo_spawn.c.</summary>
internal struct CommandReport
{
    /// <summary>Always 0, which no process id is.</summary>
    public long Ended;

    /// <summary>Of wait4(2).</summary>
    public long Status;

    /// <summary>The error of execve(2); 0 where the command was executed.</summary>
    public long ExecError;

    public long StartNanoseconds;
    public long EndNanoseconds;
    public LibC.Rusage UsageBefore;
    public LibC.Rusage Usage;

    /// <summary>The lower seven bits are the signal that ended it, 0 for none; above the lower eight is the exit code (wait(2)).</summary>
    public readonly CommandEnd ToEnd()
    {
        int signal = (int)Status & 0x7F;
        return new(
            signal != 0 ? signal : ((int)Status >> 8) & 0xFF,
            signal != 0,
            EndNanoseconds - StartNanoseconds,
            LinuxResourceUsage.ToUsage(Usage) - LinuxResourceUsage.ToUsage(UsageBefore));
    }
}
