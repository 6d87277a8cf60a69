namespace Picollo.Cpu;

/// <summary>Samples the whole machine: the CPU states between two samples, and the load, processes, threads, cgroup limits and pressure at
/// the later sample.</summary>
/// <remarks>
/// <para>The constructor takes the first sample, and each <see cref="Update"/> takes another. Every share refers to the time between the
/// last two samples. A value that the system does not report is absent, never zero: it is <see langword="null"/> or an empty list, and
/// <see cref="GetUnavailableReason"/> returns the reason.</para>
/// <para>On Linux all values come from /proc and the cgroup file systems, as in <c>top</c>, <c>mpstat</c> and <c>pidstat</c>. Reading your
/// own processes there requires no privilege; a /proc mounted with hidepid hides those of other users. On Windows they come from
/// <c>NtQuerySystemInformation</c>, as in Task Manager; there is no load average, niceness, cgroup or pressure. On macOS they come from
/// <c>host_processor_info</c>, <c>getloadavg</c> and <c>libproc</c>: there is no run queue, cgroup or pressure, and only root sees the
/// processes of other users. Windows and macOS report the sizes of processes, but not their shared memory.</para>
/// <para>An update makes system calls: a few for the machine, and several for each requested process and thread. It does not allocate once
/// its buffers have grown to the size of the machine and it has seen every name. Not thread-safe.</para>
/// <para>Each <see cref="Update"/> refills the lists: copy items that must outlive the next sample (<c>[.. list]</c>), and end each
/// <c>foreach</c> before it. A <c>for</c> loop over a list does not allocate; a <c>foreach</c> allocates an enumerator.</para>
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
    private readonly SampleList<CpuStates> _cpus = new();
    private readonly SampleList<ProcessCpu> _processes = new();
    private readonly SampleList<ThreadCpu> _threads = new();
    private SystemCpuSample _before = new();
    private SystemCpuSample _now = new();
    private bool _isDisposed;

    /// <summary>Takes the first sample.</summary>
    /// <param name="parts">The parts to read in addition to <see cref="SystemCpuParts.States"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="parts"/> contains undefined parts.</exception>
    /// <exception cref="MeasurementUnavailableException">This system does not report the states of its CPUs.</exception>
    public SystemCpu(SystemCpuParts parts = SystemCpuParts.Machine)
        : this(parts, CpuPlatform.Current.CreateSystemCpuSource())
    {
    }

    internal SystemCpu(SystemCpuParts parts, ISystemCpuSource source)
        : this(source, parts)
    {
        if (_now.StatesFailure is { } failure)
        {
            throw failure;
        }
    }

    private SystemCpu(ISystemCpuSource source, SystemCpuParts parts)
    {
        _source = source;
        _parts = Check(parts) | SystemCpuParts.States;
        Sample();
    }

    /// <summary>The states of all CPUs together, without shares before the first <see cref="Update"/>.</summary>
    public CpuStates Total { get; private set; }

    /// <summary>The states of each online CPU, in the order in which the system lists them. A CPU that came online since the previous
    /// sample has no shares.</summary>
    public IReadOnlyList<CpuStates> Cpus => _cpus;

    /// <summary>The time between the last two samples, to which the shares of processes, threads and cgroups refer; zero before the first
    /// <see cref="Update"/>. Includes the time in which the machine is suspended.</summary>
    public TimeSpan Interval => new(IntervalNanoseconds / TimeSpan.NanosecondsPerTick);

    /// <summary>The load average with a time constant of one minute: the number of threads that were running, waiting for a CPU, or (on
    /// Linux) waiting uninterruptibly, averaged with exponential decay. At least 0, and not divided by the number of CPUs.
    /// <see langword="null"/> if the system has none (Windows).</summary>
    /// <remarks>Source: /proc/loadavg on Linux, getloadavg(3) on macOS.</remarks>
    public double? LoadAverage1Minute => LoadAverage?.OneMinute;

    /// <summary>As <see cref="LoadAverage1Minute"/>, with a time constant of five minutes.</summary>
    public double? LoadAverage5Minutes => LoadAverage?.FiveMinutes;

    /// <summary>As <see cref="LoadAverage1Minute"/>, with a time constant of fifteen minutes.</summary>
    public double? LoadAverage15Minutes => LoadAverage?.FifteenMinutes;

    /// <summary>The number of threads that are on a CPU or wait for one, including the thread that takes the sample; <see langword="null"/>
    /// if the system does not report it (macOS).</summary>
    /// <remarks>Source on Linux: procs_running of /proc/stat, which counts threads despite its name. Windows reports the running
    /// threads.</remarks>
    public int? RunnableThreadCount => _now.RunQueue?.Running;

    /// <summary>The number of threads that wait for a disk (procs_blocked of /proc/stat); <see langword="null"/> on systems other than
    /// Linux.</summary>
    public int? BlockedThreadCount => _now.RunQueue?.Blocked;

    /// <summary>The number of all threads; <see langword="null"/> if the system does not report it (macOS).</summary>
    public int? TotalThreadCount => _now.RunQueue?.Total;

    /// <summary>The processes, in the order in which the system lists them. Empty if <see cref="SystemCpuParts.Processes"/> was not
    /// requested.</summary>
    public IReadOnlyList<ProcessCpu> Processes => _processes;

    /// <summary>The threads of all processes, in the order in which the system lists them. Empty if <see cref="SystemCpuParts.Threads"/>
    /// was not requested.</summary>
    public IReadOnlyList<ThreadCpu> Threads => _threads;

    /// <summary>The cgroup of this process; <see langword="null"/> if there is none, or none with CPU accounting.</summary>
    public CgroupCpu? Cgroup { get; private set; }

    /// <summary>The group with the smallest limit among <see cref="Cgroup"/> and its visible ancestors, which is the effective limit of
    /// this process. <see langword="null"/> if none has a limit.</summary>
    public CgroupCpu? LimitingCgroup { get; private set; }

    /// <summary>The time in which at least one thread waited for a CPU; <see langword="null"/> if the kernel does not report it.</summary>
    public CpuPressure? Pressure => _now.Pressure;

    internal LoadAverage? LoadAverage => _now.LoadAverage;

    /// <summary>The memory of the machine; null without <see cref="SystemCpuParts.Memory"/>, and on systems other than Linux.</summary>
    internal MachineMemory? Memory => _now.Memory;

    /// <summary>Whether the kernel groups processes by session (<c>setsid(2)</c>: a terminal, a service). If so, a CPU is first shared
    /// among sessions, and niceness counts only among the processes of one session, except in a cgroup with the cpu controller (sched(7),
    /// "The autogroup feature"). Null if neither <see cref="SystemCpuParts.Processes"/> nor <see cref="SystemCpuParts.Threads"/> is
    /// requested, if it cannot be read, and on systems other than Linux.</summary>
    internal bool? HasAutogroups => _now.HasAutogroups;

    private long IntervalNanoseconds { get; set; }

    /// <summary>Takes the first sample, if this system supports it.</summary>
    /// <param name="parts">The parts to read in addition to <see cref="SystemCpuParts.States"/>.</param>
    /// <param name="cpu">The new instance; <see langword="null"/> on failure.</param>
    /// <param name="failure">The cause and the remedy; <see langword="null"/> on success.</param>
    /// <returns><see langword="true"/> if the system can be sampled; otherwise, <see langword="false"/>.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="parts"/> contains undefined parts.</exception>
    public static bool TryCreate(
        SystemCpuParts parts, [NotNullWhen(true)] out SystemCpu? cpu, [NotNullWhen(false)] out MeasurementUnavailableException? failure)
    {
        cpu = new SystemCpu(CpuPlatform.Current.CreateSystemCpuSource(), parts);
        failure = cpu._now.StatesFailure;
        cpu = failure is null ? cpu : null;
        return cpu is not null;
    }

    /// <summary>Takes another sample. Shares then refer to the time since the previous sample.</summary>
    /// <exception cref="ObjectDisposedException">The object is disposed.</exception>
    public void Update()
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        (_before, _now) = (_now, _before);
        Sample();
    }

    /// <summary>Returns the current command line of a process, up to 64 KiB. A process can overwrite it, which often leaves empty arguments
    /// at the end. The ID may belong to a different process than in the last sample. Allocates.</summary>
    /// <returns>The arguments, decoded from UTF-8 and not sanitized for a terminal; empty for a kernel thread and a zombie; null if the
    /// process has exited, the arguments cannot be read, or the system is not Linux.</returns>
    internal string[]? GetCommandLine(int processId)
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        return _source.GetCommandLine(processId);
    }

    /// <summary>Returns why a part is absent from the last sample, or incomplete, and what to do about it.</summary>
    /// <param name="part">A single part.</param>
    /// <returns>One or two sentences, even for a part that was not requested; <see langword="null"/> if the part is present and
    /// complete.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="part"/> is not a single part.</exception>
    public string? GetUnavailableReason(SystemCpuParts part)
    {
        if (!BitOperations.IsPow2((uint)part) || (part & SystemCpuParts.All) == 0)
        {
            throw new ArgumentOutOfRangeException(nameof(part), part, "The value must be a single part.");
        }

        // Owners and waits require the parts that they belong to.
        SystemCpuParts needed = part switch
        {
            SystemCpuParts.Owners => SystemCpuParts.Processes,
            SystemCpuParts.Waits => SystemCpuParts.Processes | SystemCpuParts.Threads,
            _ => part,
        };
        return (part & _parts) == 0 ? $"This part was not requested. Pass SystemCpuParts.{part} to the constructor."
            : (needed & _parts) == 0 ? "Owners and waits require processes. Also pass SystemCpuParts.Processes to the constructor."
            : _now.GetUnavailableReason(part);
    }

    /// <summary>Stops sampling. The last sample remains readable.</summary>
    public void Dispose() => _isDisposed = true;

    private static SystemCpuParts Check(SystemCpuParts parts) => (parts & ~SystemCpuParts.All) == 0
        ? parts
        : throw new ArgumentOutOfRangeException(nameof(parts), parts, "The value contains parts that are not in SystemCpuParts.All.");

    private void Sample()
    {
        _now.Clear();
        _source.Read(_now, _parts);
        // Before the first update the earlier sample is empty and its timestamp is 0.
        IntervalNanoseconds = _before.TimestampNanoseconds > 0 ? Math.Max(_now.TimestampNanoseconds - _before.TimestampNanoseconds, 0) : 0;
        ShowStates();
        ShowTasks();
        Cgroup = _now.Cgroup?.Since(_before.Cgroup, IntervalNanoseconds);
        LimitingCgroup = _now.LimitingCgroup?.Since(_before.LimitingCgroup, IntervalNanoseconds);
    }

    private void ShowStates()
    {
        Total = CpuStates.Between(null, _before.Total, _now.Total);
        _cpus.Clear();
        ReadOnlySpan<(int Cpu, CpuStateTimes Times)> before = _before.Cpus.AsSpan();
        int i = 0;
        foreach ((int cpu, CpuStateTimes times) in _now.Cpus.AsSpan())
        {
            // Both lists have their CPUs in ascending order.
            while (i < before.Length && before[i].Cpu < cpu)
            {
                i++;
            }

            _cpus.Add(i < before.Length && before[i].Cpu == cpu
                ? CpuStates.Between(cpu, before[i].Times, times)
                : CpuStates.WithoutShares(cpu));
        }
    }

    private void ShowTasks()
    {
        _processes.Clear();
        foreach (ref readonly TaskSample process in _now.Processes.Items)
        {
            _processes.Add(process.Shown with
            {
                Share = process.ShareSince(_before.Processes, _before.TimestampNanoseconds, IntervalNanoseconds),
                WaitShare = process.ProcessWaitSince(_before, _now.Waits, IntervalNanoseconds),
            });
        }

        _threads.Clear();
        foreach (ref readonly TaskSample thread in _now.Threads.Items)
        {
            _threads.Add(thread.ToThread(
                thread.ShareSince(_before.Threads, _before.TimestampNanoseconds, IntervalNanoseconds),
                thread.ThreadWaitSince(_before, _now.Waits, IntervalNanoseconds)));
        }
    }
}
