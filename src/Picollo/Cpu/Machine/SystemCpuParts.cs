namespace Picollo.Cpu;

/// <summary>The parts of a <see cref="SystemCpu"/>: what it is asked to read, and what it may be unable to read.</summary>
[Flags]
public enum SystemCpuParts
{
    /// <summary>Nothing beyond <see cref="States"/>, which are always read.</summary>
    None = 0,

    /// <summary><see cref="SystemCpu.Total"/> and <see cref="SystemCpu.Cpus"/>.</summary>
    States = 1,

    /// <summary><see cref="SystemCpu.LoadAverage"/>.</summary>
    LoadAverage = 2,

    /// <summary><see cref="SystemCpu.RunQueue"/>; on Windows from the list of all threads.</summary>
    RunQueue = 4,

    /// <summary><see cref="SystemCpu.Cgroup"/> and <see cref="SystemCpu.LimitingCgroup"/>.</summary>
    Cgroup = 8,

    /// <summary><see cref="SystemCpu.Pressure"/> and <see cref="SystemCpu.FullPressure"/>.</summary>
    Pressure = 16,

    /// <summary><see cref="SystemCpu.Processes"/>: several system calls a process; on Windows one for all.</summary>
    Processes = 32,

    /// <summary><see cref="SystemCpu.Threads"/>: several system calls a thread; on Windows one for all, and with processes the
    /// same.</summary>
    Threads = 64,

    /// <summary>The memory of each process that is asked for with <see cref="Processes"/>: <see cref="ProcessCpu.VirtualBytes"/>,
    /// <see cref="ProcessCpu.ResidentBytes"/> and <see cref="ProcessCpu.SharedBytes"/>. On Linux one more file a process; elsewhere the
    /// first two sizes alone, which cost nothing.</summary>
    Memory = 128,

    /// <summary>All that says something of the machine as a whole: a few small files, whatever runs on it.</summary>
    Machine = States | LoadAverage | RunQueue | Cgroup | Pressure,

    /// <summary>Everything, including <see cref="ProcessCpu.UserId"/>, <see cref="ProcessCpu.WaitShare"/> and
    /// <see cref="ThreadCpu.WaitShare"/>.</summary>
    All = 1023,
}

/// <summary>The parts of <see cref="SystemCpuParts.All"/> that only the tool asks for separately.</summary>
internal static class ProcessDetails
{
    /// <summary><see cref="ProcessCpu.UserId"/> of the processes that are asked for: on Linux one more system call a process, on macOS
    /// nothing. Not on Windows.</summary>
    public const SystemCpuParts Owners = (SystemCpuParts)256;

    /// <summary><see cref="ProcessCpu.WaitShare"/> and <see cref="ThreadCpu.WaitShare"/> of what is asked for: one more file a thread, and
    /// with <see cref="SystemCpuParts.Threads"/> nothing, as they need that file. Linux.</summary>
    public const SystemCpuParts Waits = (SystemCpuParts)512;
}
