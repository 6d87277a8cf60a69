using Picollo.Cpu;
using Picollo.Interop.Linux;

namespace Picollo.Cli.Top;

internal sealed class TopModel(TopSettings settings) : IDisposable
{
    private const SystemCpuParts Parts =
        SystemCpuParts.Machine | SystemCpuParts.Processes | SystemCpuParts.Memory | SystemCpuParts.Owners | SystemCpuParts.Waits;

    /// <summary>The interval of the first page. It is short so that the page appears soon, and long enough to show the current CPU use: the
    /// resolution of the counters is 10 ms.</summary>
    private static readonly TimeSpan FirstInterval = TimeSpan.FromMilliseconds(200);

    private readonly Users _users = new();
    private readonly Dictionary<int, int> _indexes = [];
    private readonly List<CpuStates> _cpus = [];
    private SystemCpu? _cpu;
    private SystemCpuParts _parts;
    private CgroupCpu? _cgroupBefore;

    public TopSample Sample { get; } = new();

    public CpuHistory History { get; } = new();

    /// <summary>Whether to read threads for a purpose other than the list.</summary>
    public bool WithThreads { get; set; }

    public IEnumerable<string> UnavailableReasons =>
        new[] { SystemCpuParts.Processes, SystemCpuParts.Memory, SystemCpuParts.Owners, SystemCpuParts.Waits }
            .Select(part => _cpu?.GetUnavailableReason(part)).OfType<string>().Distinct();

    /// <summary>Takes a sample. Shares refer to the time since the previous sample. Takes an additional 200 ms if there is no comparable
    /// sample: for the first one, and when reading of threads starts or stops.</summary>
    /// <exception cref="CommandException">None of <see cref="TopSettings.Pids"/> exists in the first sample.</exception>
    public void Update()
    {
        bool isFirst = _cpu is null;
        SystemCpuParts parts = Parts | (settings.ShowThreads || WithThreads ? SystemCpuParts.Threads : 0);
        if (_cpu is null || parts != _parts)
        {
            _cpu?.Dispose();
            _cpu = new SystemCpu(parts);
            _parts = parts;
            _cgroupBefore = _cpu.LimitingCgroup;
            Thread.Sleep(FirstInterval);
        }

        _cpu.Update();
        History.Add(_cpu.Processes, _cpu.Interval, _cpu.Cpus.Count);
        ShowMachine(_cpu);
        ShowTasks(_cpu);
        if (isFirst && settings.Pids.Count > 0 && !Sample.Processes.Exists(row => settings.Pids.Contains(row.Process.Id)))
        {
            throw new CommandException($"no such process: {string.Join(", ", settings.Pids)}");
        }
    }

    public void Dispose() => _cpu?.Dispose();

    private void ShowMachine(SystemCpu cpu)
    {
        Sample.Time = DateTimeOffset.Now;
        Sample.Interval = cpu.Interval;
        Sample.Uptime = Uptime();
        Sample.Users = Users.CountLogins();
        Sample.LoadAverage = cpu.LoadAverage;
        Sample.Total = cpu.Total;
        _cpus.Clear();
        _cpus.AddRange(cpu.Cpus);
        Sample.Cpus = _cpus;
        Sample.Memory = cpu.Memory;
        Sample.Pressure = cpu.Pressure;
        Sample.HasAutogroups = cpu.HasAutogroups;
        Sample.Cgroup = cpu.LimitingCgroup is { } group ? Since(group, _cgroupBefore) : null;
        _cgroupBefore = cpu.LimitingCgroup;
        Sample.OwnId = Environment.ProcessId;
        Sample.CommandLineOf = cpu.GetCommandLine;
    }

    private static unsafe TimeSpan Uptime()
    {
        LibC.Timespec time;
        return OperatingSystem.IsLinux() && LibC.clock_gettime(LibC.CLOCK_BOOTTIME, &time) == 0
            ? TimeSpan.FromSeconds(time.Seconds)
            : TimeSpan.FromMilliseconds(Environment.TickCount64);
    }

    private static TopCgroup Since(CgroupCpu now, CgroupCpu? before) => before is { } earlier && earlier.Path == now.Path
        ? new(
            now,
            now.PeriodCount - earlier.PeriodCount,
            now.ThrottledPeriodCount - earlier.ThrottledPeriodCount,
            now.ThrottledTime - earlier.ThrottledTime)
        : new(now, null, null, null);

    private void ShowTasks(SystemCpu cpu)
    {
        Sample.Processes.Clear();
        foreach (ProcessCpu process in cpu.Processes)
        {
            Sample.Processes.Add(new TopRow(process, null, process.UserId is { } user ? _users.NameOf(user) : "?"));
        }

        Sample.Threads.Clear();
        if (cpu.Threads.Count == 0)
        {
            return;
        }

        _indexes.Clear();
        Span<TopRow> processes = CollectionsMarshal.AsSpan(Sample.Processes);
        for (int i = 0; i < processes.Length; i++)
        {
            _indexes.Add(processes[i].Process.Id, i);
        }

        foreach (ThreadCpu thread in cpu.Threads)
        {
            if (_indexes.TryGetValue(thread.ProcessId, out int index))
            {
                Sample.Threads.Add(processes[index] with { Thread = thread });
            }
        }
    }
}
