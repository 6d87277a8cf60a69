using System.Diagnostics.CodeAnalysis;
using System.Runtime.Versioning;
using Picollo.Interop.Windows;
using Picollo.Timing;

namespace Picollo.Cpu.Windows;

/// <summary>
/// User and kernel time by <c>GetThreadTimes</c> and <c>GetProcessTimes</c>, in the scheduler's ticks (15.6 ms); totals by
/// <c>QueryThreadCycleTime</c> and <c>QueryProcessCycleTime</c>, as fine as the CPU's counter.
/// </summary>
/// <remarks>
/// Whether totals come from cycles is settled in the constructor, and no reading mixes the two: they differ by up to a tick, and a
/// total that came from one and then from the other could go back. Where cycles are not counted (Wine) or are no time (see
/// <see cref="CycleTime"/>), a total is the sum of user and kernel time.
/// </remarks>
[SupportedOSPlatform("windows")]
internal sealed unsafe class WindowsCpuTimes : ICpuTimes
{
    // Picoseconds per cycle, as TickRatio has it; 0 where totals do not come from cycles.
    private readonly ulong _threadCycle;
    private readonly ulong _processCycle;

    public WindowsCpuTimes()
    {
        ulong cycles;
        ulong multiplier = CycleClock.Multiplier;
        if (CycleClock.IsCycleCounter
            && Kernel32.QueryThreadCycleTime(Kernel32.CurrentThread, &cycles) != 0
            && CycleTime.TellsTime(new ThreadCycles(), multiplier))
        {
            _threadCycle = multiplier;
            _processCycle = Kernel32.QueryProcessCycleTime(Kernel32.CurrentProcess, &cycles) != 0 ? multiplier : 0;
        }

        if (!TryGetThread(out _, out _))
        {
            ThreadUnavailableReason = "Windows refused GetThreadTimes for the current thread.";
        }
    }

    public long? ThreadId => Kernel32.GetCurrentThreadId();

    public string? ThreadUnavailableReason { get; }

    public bool TryGetThread(out long totalNanoseconds) => TryReadThread(Kernel32.CurrentThread, out totalNanoseconds);

    public bool TryGetThread(out long totalNanoseconds, out CpuUsage split)
    {
        bool known = TryReadThread(Kernel32.CurrentThread, out split);
        totalNanoseconds = split.TotalNanoseconds;
        return known && (_threadCycle == 0 || TryReadThread(Kernel32.CurrentThread, out totalNanoseconds));
    }

    public bool TryGetProcess(out long totalNanoseconds, [NotNullWhen(false)] out string? problem)
    {
        bool known = TryReadProcess(Kernel32.CurrentProcess, out totalNanoseconds);
        problem = known ? null : "Windows refused GetProcessTimes for this process.";
        return known;
    }

    public bool TryGetProcess(out CpuUsage split, [NotNullWhen(false)] out string? problem)
    {
        bool known = TryReadProcess(Kernel32.CurrentProcess, out split);
        problem = known ? null : "Windows refused GetProcessTimes for this process.";
        return known;
    }

    public bool TryGetChildren(out CpuUsage split, [NotNullWhen(false)] out string? problem)
    {
        split = default;
        problem = "Windows keeps no account of what a process's children took: read each by its id before it ends.";
        return false;
    }

    public bool TryGetThread(long threadId, out long totalNanoseconds, [NotNullWhen(false)] out string? problem)
    {
        totalNanoseconds = 0;
        using KernelHandle thread = KernelHandle.OpenThread(threadId, out problem);
        if (problem is null && !TryReadThread(thread.Value, out totalNanoseconds))
        {
            problem = CpuTimeProblems.NoThread(threadId);
        }

        return problem is null;
    }

    public bool TryGetThread(long threadId, out CpuUsage split, [NotNullWhen(false)] out string? problem)
    {
        split = default;
        using KernelHandle thread = KernelHandle.OpenThread(threadId, out problem);
        if (problem is null && !TryReadThread(thread.Value, out split))
        {
            problem = CpuTimeProblems.NoThread(threadId);
        }

        return problem is null;
    }

    public bool TryGetProcess(int processId, out long totalNanoseconds, [NotNullWhen(false)] out string? problem)
    {
        totalNanoseconds = 0;
        using KernelHandle process = KernelHandle.OpenProcess(processId, out problem);
        if (problem is null && !TryReadProcess(process.Value, out totalNanoseconds))
        {
            problem = CpuTimeProblems.NoProcess(processId);
        }

        return problem is null;
    }

    public bool TryGetProcess(int processId, out CpuUsage split, [NotNullWhen(false)] out string? problem)
    {
        split = default;
        using KernelHandle process = KernelHandle.OpenProcess(processId, out problem);
        if (problem is null && !TryReadProcess(process.Value, out split))
        {
            problem = CpuTimeProblems.NoProcess(processId);
        }

        return problem is null;
    }

    private bool TryReadThread(nint thread, out long totalNanoseconds)
    {
        if (_threadCycle == 0)
        {
            bool isRead = TryReadThread(thread, out CpuUsage split);
            totalNanoseconds = split.TotalNanoseconds;
            return isRead;
        }

        ulong cycles = 0;
        bool known = Kernel32.QueryThreadCycleTime(thread, &cycles) != 0;
        totalNanoseconds = CycleTime.ToNanoseconds(cycles, _threadCycle);
        return known;
    }

    private static bool TryReadThread(nint thread, out CpuUsage split)
    {
        FileTime creation, exit, kernel = default, user = default;
        bool known = Kernel32.GetThreadTimes(thread, &creation, &exit, &kernel, &user) != 0;
        split = new CpuUsage(user.Nanoseconds, kernel.Nanoseconds);
        return known;
    }

    private bool TryReadProcess(nint process, out long totalNanoseconds)
    {
        if (_processCycle == 0)
        {
            bool isRead = TryReadProcess(process, out CpuUsage split);
            totalNanoseconds = split.TotalNanoseconds;
            return isRead;
        }

        ulong cycles = 0;
        bool known = Kernel32.QueryProcessCycleTime(process, &cycles) != 0;
        totalNanoseconds = CycleTime.ToNanoseconds(cycles, _processCycle);
        return known;
    }

    private static bool TryReadProcess(nint process, out CpuUsage split)
    {
        FileTime creation, exit, kernel = default, user = default;
        bool known = Kernel32.GetProcessTimes(process, &creation, &exit, &kernel, &user) != 0;
        split = new CpuUsage(user.Nanoseconds, kernel.Nanoseconds);
        return known;
    }
}
