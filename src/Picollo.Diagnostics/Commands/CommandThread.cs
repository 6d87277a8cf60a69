using Picollo.Cpu;

namespace Picollo.Diagnostics;

/// <summary>A thread of a command, as it was when it was last seen.</summary>
/// <param name="ProcessId">Its process: the command's own, or one that it started.</param>
/// <param name="ThreadId">Its id; a process's first thread has the process's.</param>
/// <param name="Name">What it calls itself, 15 bytes at most.</param>
/// <param name="CpuNanoseconds">CPU time up to then, by the scheduler's clock.</param>
/// <param name="Usage">The same, user and kernel apart, each cut to 10 ms.</param>
/// <remarks>Immutable.</remarks>
public readonly record struct CommandThread(int ProcessId, long ThreadId, string Name, long CpuNanoseconds, CpuUsage Usage);
