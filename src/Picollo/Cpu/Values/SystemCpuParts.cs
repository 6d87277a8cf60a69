namespace Picollo.Cpu;

/// <summary>The parts of a <see cref="SystemCpu"/>. They select what to read, and identify what is unavailable.</summary>
[Flags]
public enum SystemCpuParts
{
    /// <summary>Only <see cref="States"/>, which are always read.</summary>
    None = 0,

    /// <summary><see cref="SystemCpu.Total"/> and <see cref="SystemCpu.Cpus"/>.</summary>
    States = 1,

    /// <summary><see cref="SystemCpu.LoadAverage1Minute"/> and the other load averages.</summary>
    LoadAverage = 2,

    /// <summary><see cref="SystemCpu.RunnableThreadCount"/>, <see cref="SystemCpu.BlockedThreadCount"/> and
    /// <see cref="SystemCpu.TotalThreadCount"/>; on Windows from the list of all threads.</summary>
    RunQueue = 4,

    /// <summary><see cref="SystemCpu.Cgroup"/> and <see cref="SystemCpu.LimitingCgroup"/>.</summary>
    Cgroup = 8,

    /// <summary><see cref="SystemCpu.Pressure"/>.</summary>
    Pressure = 16,

    /// <summary><see cref="SystemCpu.Processes"/>: several system calls per process; on Windows one for all.</summary>
    Processes = 32,

    /// <summary><see cref="SystemCpu.Threads"/>: several system calls per thread; on Windows one for all, shared with
    /// <see cref="Processes"/>.</summary>
    Threads = 64,

    /// <summary>The memory of each process, if <see cref="Processes"/> are requested: <see cref="ProcessCpu.VirtualBytes"/>,
    /// <see cref="ProcessCpu.ResidentBytes"/> and <see cref="ProcessCpu.SharedBytes"/>. On Linux one more file per process. Other systems
    /// have only the first two sizes, at no cost.</summary>
    Memory = 128,

    /// <summary><see cref="ProcessCpu.UserId"/>, if <see cref="Processes"/> are requested: on Linux one more system call per process, on
    /// macOS no cost. Not available on Windows.</summary>
    Owners = 256,

    /// <summary><see cref="ProcessCpu.WaitShare"/> and <see cref="ThreadCpu.WaitShare"/>, if <see cref="Processes"/> or
    /// <see cref="Threads"/> are requested: one more file per thread, or no cost with <see cref="Threads"/>, which read that file anyway.
    /// Linux only.</summary>
    Waits = 512,

    /// <summary>All parts that describe the machine as a whole: a few small files, regardless of the number of processes.</summary>
    Machine = States | LoadAverage | RunQueue | Cgroup | Pressure,

    /// <summary>Everything.</summary>
    All = Machine | Processes | Threads | Memory | Owners | Waits,
}
