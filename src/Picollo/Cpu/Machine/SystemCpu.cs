using System.Diagnostics.CodeAnalysis;
using System.Numerics;
using Picollo.Cpu.Linux;
using Picollo.Cpu.MacOS;
using Picollo.Cpu.Windows;

namespace Picollo.Cpu;

/// <summary>The machine as a whole: what its CPUs did between two samples, and at the later of them its load, processes, threads, cgroup
/// limits and pressure.</summary>
/// <remarks>
/// <para>The constructor takes the first sample and each <see cref="Update"/> another; every share is of the time between the last
/// two. What the system does not offer, or not here, is absent and never zero: null, or an empty list, and
/// <see cref="GetUnavailableReason"/> says why.</para>
/// <para>On Linux everything comes from /proc and the cgroup file systems, as
/// <c>top</c>, <c>mpstat</c> and <c>pidstat</c> have it. Reading one's own processes there takes no privilege; a /proc mounted with hidepid
/// hides those of others. On Windows it comes from <c>NtQuerySystemInformation</c>, as the task manager has it: no load average, niceness,
/// cgroup or pressure. On macOS from <c>host_processor_info</c>, <c>getloadavg</c> and <c>libproc</c>: no run queue, cgroup or
/// pressure, and other users' processes for root alone. Both report the sizes of processes, but not what processes share.</para>
/// <para>An update makes system calls: a few for the machine, several for each process and thread asked for. It
/// allocates nothing once its buffers have grown to the machine's size and every name was seen. Lists are filled again by each
/// <see cref="Update"/>. Not thread-safe.</para>
/// <example>
/// <code>
/// using var cpu = new SystemCpu();
/// Thread.Sleep(1000);
/// cpu.Update();
/// Console.WriteLine(cpu.Total); // 50.5 us,  0.5 sy,  0.0 ni, 49.0 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st
/// foreach (CpuStates one in cpu.Cpus)
/// {
///     Console.WriteLine($"CPU {one.Cpu}: {one}");
/// }
/// </code>
/// </example>
/// </remarks>
public sealed class SystemCpu : IDisposable
{
    private readonly ISystemCpuSource _source;
    private readonly SystemCpuParts _parts;
    private SystemCpuSample _before = new();
    private SystemCpuSample _now = new();
    private bool _isDisposed;

    /// <summary>Takes the first sample.</summary>
    /// <param name="parts">What to read besides <see cref="SystemCpuParts.States"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="parts"/> has parts that are not defined.</exception>
    /// <exception cref="MeasurementUnavailableException">This system does not report what its CPUs do.</exception>
    public SystemCpu(SystemCpuParts parts = SystemCpuParts.Machine)
        : this(Check(parts), CreateSource())
    {
    }

    internal SystemCpu(SystemCpuParts parts, ISystemCpuSource source)
    {
        _source = source;
        _parts = Check(parts) | SystemCpuParts.States;
        Sample();
        if (_now.GetUnavailableReason(SystemCpuParts.States) is { } reason)
        {
            throw new MeasurementUnavailableException(reason);
        }
    }

    /// <summary>The states of all CPUs together. Has no shares before the first <see cref="Update"/>.</summary>
    public CpuStates Total { get; private set; }

    /// <summary>The states of each CPU that is online, in the system's order. One that came online since the sample before has
    /// no shares.</summary>
    public SampleList<CpuStates> Cpus { get; } = new();

    /// <summary>The time between the last two samples, which shares of processes, threads and cgroups refer to; zero before
    /// the first <see cref="Update"/>. Counts on while the machine is suspended.</summary>
    public TimeSpan Interval => new(IntervalNanoseconds / TimeSpan.NanosecondsPerTick);

    /// <summary>The load average; null where there is none (Windows).</summary>
    public LoadAverage? LoadAverage => _now.LoadAverage;

    /// <summary>How many threads there are, and how many want a CPU; null where the system does not report it.</summary>
    public RunQueueState? RunQueue => _now.RunQueue;

    /// <summary>The processes, in the system's order. Empty if <see cref="SystemCpuParts.Processes"/> was not asked
    /// for.</summary>
    public SampleList<ProcessCpu> Processes { get; } = new();

    /// <summary>The threads of all processes, in the system's order. Empty if <see cref="SystemCpuParts.Threads"/> was not
    /// asked for.</summary>
    public SampleList<ThreadCpu> Threads { get; } = new();

    /// <summary>The cgroup of this process; null where there is none, or none with CPU accounting.</summary>
    public CgroupCpu? Cgroup { get; private set; }

    /// <summary>Of <see cref="Cgroup"/> and the groups above it that can be seen from here, the one with the smallest limit:
    /// what really limits this process. Null where none has a limit.</summary>
    public CgroupCpu? LimitingCgroup { get; private set; }

    /// <summary>The time in which at least one thread waited for a CPU; null where the kernel does not report it.</summary>
    public CpuPressure? Pressure => _now.Pressure;

    /// <summary>The time in which all threads that were not idle waited for a CPU. For the machine as a whole that cannot be, and the
    /// kernel reports zeros. Null where <see cref="Pressure"/> is, and on kernels before 5.13, which do not report it.</summary>
    public CpuPressure? FullPressure => _now.FullPressure;

    /// <summary>The machine's memory; null without <see cref="SystemCpuParts.Memory"/>, and on other systems than Linux.</summary>
    internal MachineMemory? Memory => _now.Memory;

    /// <summary>Whether the kernel groups processes by session (<c>setsid(2)</c>: a terminal, a service): a CPU is then shared among
    /// sessions first, and niceness counts only among the processes of one session, unless they were put into a cgroup with the cpu
    /// controller (sched(7), "The autogroup feature"). Null where neither <see cref="SystemCpuParts.Processes"/> nor
    /// <see cref="SystemCpuParts.Threads"/> is asked for, where it cannot be read, and on other systems than Linux.</summary>
    internal bool? HasAutogroups => _now.HasAutogroups;

    private long IntervalNanoseconds { get; set; }

    /// <summary>Takes the first sample, where there is something to sample.</summary>
    /// <param name="parts">What to read besides <see cref="SystemCpuParts.States"/>.</param>
    /// <param name="cpu">The machine, or null.</param>
    /// <param name="reason">The cause and the remedy; null where it succeeded.</param>
    /// <returns>Whether there is something to sample.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="parts"/> has parts that are not defined.</exception>
    public static bool TryCreate(
        SystemCpuParts parts, [NotNullWhen(true)] out SystemCpu? cpu, [NotNullWhen(false)] out string? reason)
    {
        (cpu, reason) = (null, null);
        try
        {
            cpu = new SystemCpu(parts);
        }
        catch (MeasurementUnavailableException e)
        {
            reason = e.Message;
        }

        return cpu is not null;
    }

    /// <summary>Takes another sample; shares are then of the time since the one before.</summary>
    /// <exception cref="ObjectDisposedException">After <see cref="Dispose"/>.</exception>
    public void Update()
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        (_before, _now) = (_now, _before);
        Sample();
    }

    /// <summary>The words that a process was started with, or what it has put in their place (which often ends with a number of empty
    /// ones), up to 64 KiB. At the moment of the call: an id may be another's than in the last sample. Allocates.</summary>
    /// <returns>As they are, decoded from UTF-8 and not made fit for a terminal; empty for a thread of the kernel and a zombie; null where
    /// the process has ended, its words cannot be read, or the system is not Linux.</returns>
    internal string[]? GetCommandLine(int processId)
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        return _source.GetCommandLine(processId);
    }

    /// <summary>Why a part is absent from the last sample, or incomplete, and what can be done about it.</summary>
    /// <param name="part">One part.</param>
    /// <returns>A sentence or two, also for a part that was not asked for; null if the part is there and complete.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="part"/> is not one part.</exception>
    public string? GetUnavailableReason(SystemCpuParts part)
    {
        if (!BitOperations.IsPow2((uint)part) || (part & SystemCpuParts.All) == 0)
        {
            throw new ArgumentOutOfRangeException(nameof(part), part, "One of the single parts is needed.");
        }

        // What these belong to has to be there.
        SystemCpuParts needed = part switch
        {
            ProcessDetails.Owners => SystemCpuParts.Processes,
            ProcessDetails.Waits => SystemCpuParts.Processes | SystemCpuParts.Threads,
            _ => part,
        };
        SystemCpuParts named = needed == part ? part : SystemCpuParts.All;
        return (part & _parts) == 0 ? $"This was not asked for: pass SystemCpuParts.{named} to the constructor."
            : (needed & _parts) == 0 ? "Owners and waits belong to processes: pass SystemCpuParts.Processes to the constructor as well."
            : _now.GetUnavailableReason(part);
    }

    /// <summary>Ends the sampling. The last sample can still be read.</summary>
    public void Dispose() => _isDisposed = true;

    private static ISystemCpuSource CreateSource() =>
        OperatingSystem.IsLinux() ? new LinuxSystemCpuSource(root: "")
        : OperatingSystem.IsWindows() ? new WindowsSystemCpuSource()
        : OperatingSystem.IsMacOS() ? new MacSystemCpuSource()
        : throw new MeasurementUnavailableException("SystemCpu reads Linux, Windows and macOS; this is another system.");

    private static SystemCpuParts Check(SystemCpuParts parts) => (parts & ~SystemCpuParts.All) == 0
        ? parts
        : throw new ArgumentOutOfRangeException(nameof(parts), parts, "SystemCpuParts.All and the parts in it can be read.");

    private void Sample()
    {
        _now.Clear();
        _source.Read(_now, _parts);
        // Nothing to compare with: before the first update the earlier sample is empty, and its timestamp 0.
        IntervalNanoseconds = _before.TimestampNanoseconds > 0 ? Math.Max(_now.TimestampNanoseconds - _before.TimestampNanoseconds, 0) : 0;
        ShowStates();
        ShowTasks();
        Cgroup = _now.Cgroup?.Since(_before.Cgroup, IntervalNanoseconds);
        LimitingCgroup = _now.LimitingCgroup?.Since(_before.LimitingCgroup, IntervalNanoseconds);
    }

    private void ShowStates()
    {
        Total = CpuStates.Between(null, _before.Total, _now.Total);
        Cpus.Clear();
        ReadOnlySpan<(int Cpu, CpuStateTimes Times)> before = _before.Cpus.AsSpan();
        int i = 0;
        foreach ((int cpu, CpuStateTimes times) in _now.Cpus.AsSpan())
        {
            // Both lists have their CPUs in ascending order.
            while (i < before.Length && before[i].Cpu < cpu)
            {
                i++;
            }

            Cpus.Add(i < before.Length && before[i].Cpu == cpu
                ? CpuStates.Between(cpu, before[i].Times, times)
                : CpuStates.WithoutShares(cpu));
        }
    }

    private void ShowTasks()
    {
        Processes.Clear();
        foreach (ref readonly TaskSample process in _now.Processes.Items)
        {
            Processes.Add(process.Shown with
            {
                Share = process.ShareSince(_before.Processes, _before.TimestampNanoseconds, IntervalNanoseconds),
                WaitShare = process.ProcessWaitSince(_before, _now.Waits, IntervalNanoseconds),
            });
        }

        Threads.Clear();
        foreach (ref readonly TaskSample thread in _now.Threads.Items)
        {
            Threads.Add(thread.ToThread(
                thread.ShareSince(_before.Threads, _before.TimestampNanoseconds, IntervalNanoseconds),
                thread.ThreadWaitSince(_before, _now.Waits, IntervalNanoseconds)));
        }
    }
}
