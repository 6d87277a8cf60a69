using Picollo.Interop.Linux;
using Picollo.PerfEvent;

namespace Picollo.Profiling.Sampling;

/// <summary>The target of sampling, and the number of samples per second of CPU time.</summary>
internal sealed record SamplingTarget(int ProcessId, int Frequency, bool IncludesKernel, bool StartsOnExec);

/// <summary>The events that take samples of a process, and a ring of records for each CPU.</summary>
/// <remarks>
/// <para>An event of a CPU samples everything that runs on it, and costs nothing when a thread waits and wakes up. The kernel permits it to
/// root, with CAP_PERFMON, and to all users if kernel.perf_event_paranoid is 0 or less. The records of other processes are ignored.</para>
/// <para>Otherwise there is an event for each thread and each CPU, which threads and processes that start later inherit. The kernel stops
/// and starts them with the thread. An inherited event can have a ring only if it belongs to one CPU (perf_event_open(2)).</para>
/// </remarks>
internal sealed class SamplingEvents : IDisposable
{
    /// <summary>Threads that appear after this number of scans were started by threads that already have events.</summary>
    private const int MaxScans = 5;

    private const int AllThreads = -1;

    internal static readonly PerfEventDefinition Cycles = new(PerfTypeId.Hardware, (ulong)PerfHardwareCounterId.CpuCycles);
    private static readonly PerfEventDefinition CpuClock = new(PerfTypeId.Software, (ulong)PerfSoftwareCounterId.CpuClock);

    private readonly SamplingTarget _target;
    private readonly int _highestCpu = HighestCpu();
    private readonly List<PerfEventFile> _files = [];
    private readonly Dictionary<int, (PerfEventFile Owner, SampleRing Ring)> _rings = [];
    private PerfEventAttributes _attributes;
    private PerfEventDefinition _definition;

    private SamplingEvents(SamplingTarget target) => _target = target;

    /// <summary>The rings, one per CPU.</summary>
    public IReadOnlyList<SampleRing> Rings { get; private set; } = [];

    /// <summary><c>cycles</c> or <c>cpu-clock</c>.</summary>
    public string Name { get; private set; } = "";

    /// <summary>Whether the events belong to whole CPUs instead of threads.</summary>
    public bool AreCpuEvents { get; private set; }

    internal int FileCount => _files.Count;

    /// <exception cref="MeasurementUnavailableException">There is no such process, or the kernel refuses.</exception>
    public static SamplingEvents Open(SamplingTarget target)
    {
        var events = new SamplingEvents(target);
        try
        {
            events.ChooseEvent();
            events.OpenAll();
            events.Rings = [.. events._rings.Values.Select(ring => ring.Ring)];
            return events;
        }
        catch
        {
            events.Dispose();
            throw;
        }
    }

    /// <summary>Stops sampling. The contents of the rings remain readable.</summary>
    public unsafe void CloseFiles()
    {
        // The mapping of a ring keeps its event open, and the events that inherit from it.
        foreach ((PerfEventFile owner, _) in _rings.Values.Where(ring => !ring.Owner.IsClosed))
        {
            _ = LibC.ioctl(owner.Number, LibC.PERF_EVENT_IOC_DISABLE, null);
        }

        _files.ForEach(file => file.Dispose());
        _files.Clear();
    }

    public void Dispose()
    {
        CloseFiles();
        foreach ((_, SampleRing ring) in _rings.Values)
        {
            ring.Dispose();
        }
    }

    /// <summary>Chooses cycles if there is a PMU, because its interrupts also reach code that has disabled other interrupts. Otherwise
    /// chooses the clock, even if only some CPUs have the event, as in processors with two kinds of cores.</summary>
    private void ChooseEvent()
    {
        (_definition, Name) = (Cycles, "cycles");
        _attributes = AttributesOf(Cycles, _target);
        for (int cpu = 0; cpu <= _highestCpu; cpu++)
        {
            using PerfEventFile? file = PerfEventFile.TryOpen(_attributes, thread: 0, cpu, leader: null, out int error);
            if (file is null && error is not (Errno.EACCES or Errno.EPERM or Errno.ENOSYS or Errno.ENODEV))
            {
                (_definition, Name) = (CpuClock, "cpu-clock");
                _attributes = AttributesOf(CpuClock, _target);
                return;
            }
        }
    }

    internal static PerfEventAttributes AttributesOf(in PerfEventDefinition definition, SamplingTarget target) =>
        AttributesOf(definition, target, PerfEventFlags.Inherit);

    private static PerfEventAttributes AttributesOf(in PerfEventDefinition definition, SamplingTarget target, PerfEventFlags flags) =>
        new(definition, flags | FlagsOf(target))
        {
            Size = PerfEventAttributes.Version5Size,
            SamplePeriod = (ulong)target.Frequency,
            SampleType = PerfRecord.SampleType,
            ClockId = LibC.CLOCK_MONOTONIC,
        };

    // The records of mappings, names, forks and ends are in the same ring as the samples. Watermark 0 means half of the ring.
    private static PerfEventFlags FlagsOf(SamplingTarget target) =>
        PerfEventFlags.Frequency | PerfEventFlags.SampleIdAll | PerfEventFlags.UseClockId
        | PerfEventFlags.Mmap | PerfEventFlags.Mmap2 | PerfEventFlags.Comm | PerfEventFlags.CommExec | PerfEventFlags.Task
        | PerfEventFlags.Watermark
        | (target.IncludesKernel ? PerfEventFlags.None : PerfEventFlags.ExcludeKernel | PerfEventFlags.ExcludeHypervisor)
        | (target.StartsOnExec ? PerfEventFlags.Disabled | PerfEventFlags.EnableOnExec : PerfEventFlags.None);

    private void OpenAll()
    {
        // An event of a CPU cannot start on exec. The clock continues while the CPU is idle, but no PMU counts then, and some refuse the
        // flag.
        PerfEventAttributes ofCpu = AttributesOf(
            _definition, _target, Name == "cycles" ? PerfEventFlags.None : PerfEventFlags.ExcludeIdle);
        using PerfEventFile? permitted = _target.StartsOnExec
            ? null
            : PerfEventFile.TryOpen(ofCpu, AllThreads, cpu: 0, leader: null, out _);
        AreCpuEvents = permitted is not null;

        if (AreCpuEvents)
        {
            _ = PerfEventOpener.ThreadsOf(_target.ProcessId); // throws if there is no such process
            _attributes = ofCpu;
            OpenOn(AllThreads);
        }
        else
        {
            OpenOnThreads();
        }
    }

    private void OpenOnThreads()
    {
        var seen = new HashSet<int>();
        for (int scan = 0, before = -1; scan < MaxScans && seen.Count != before; scan++)
        {
            before = seen.Count;
            foreach (int thread in PerfEventOpener.ThreadsOf(_target.ProcessId).Where(seen.Add))
            {
                OpenOn(thread);
            }
        }

        if (_files.Count == 0)
        {
            throw PerfEventOpener.Ended(_target.ProcessId); // all its threads have ended
        }
    }

    private void OpenOn(int thread)
    {
        for (int cpu = 0; cpu <= _highestCpu; cpu++)
        {
            PerfEventFile? file = PerfEventFile.TryOpen(_attributes, thread, cpu, leader: null, out int error);
            if (file is not null)
            {
                _files.Add(file);
                SetOutput(file, cpu);
            }
            else if (error == Errno.ESRCH)
            {
                return; // the thread has ended
            }
            else if (error != Errno.ENODEV) // the CPU is offline
            {
                throw Refused(thread, cpu, error);
            }
        }
    }

    private unsafe void SetOutput(PerfEventFile file, int cpu)
    {
        if (!_rings.TryGetValue(cpu, out (PerfEventFile Owner, SampleRing Ring) shared))
        {
            SampleRing? ring = SampleRing.TryMap(file.Number, out int error);
            _rings[cpu] = ring is null ? throw new MeasurementUnavailableException(
                $"The kernel refused memory for samples ({Marshal.GetPInvokeErrorMessage(error)}). Raise kernel.perf_event_mlock_kb or "
                + "the limit of locked memory (ulimit -l), or stop other profilers of this user.",
                MeasurementUnavailableCause.LimitReached,
                error) : (file, ring);
        }
        else if (LibC.ioctl(file.Number, LibC.PERF_EVENT_IOC_SET_OUTPUT, (void*)shared.Owner.Number) != 0)
        {
            int error = Marshal.GetLastPInvokeError();
            throw new MeasurementUnavailableException(
                $"The kernel refused a ring for samples (PERF_EVENT_IOC_SET_OUTPUT): {Marshal.GetPInvokeErrorMessage(error)}.",
                MeasurementUnavailableCause.Unknown,
                error);
        }
    }

    private MeasurementUnavailableException Refused(int thread, int cpu, int error)
    {
        if (error == Errno.EINVAL
            && PerfMachine.ReadSetting("/proc/sys/kernel/perf_event_max_sample_rate\0"u8) is { } most
            && most < _target.Frequency)
        {
            return new(
                $"The kernel permits at most {most} samples per second (kernel.perf_event_max_sample_rate), but "
                + $"{_target.Frequency} were requested. Lower the frequency, or raise the limit.",
                MeasurementUnavailableCause.LimitReached,
                error);
        }

        var request = new PerfEventRequest(Name, _definition, _target.IncludesKernel, IsPinned: false, thread, cpu);
        return PerfEventReasons.Describe(request, error, PerfMachine.Read());
    }

    // The file has the format 0-3,8: the last number is the highest.
    private static int HighestCpu()
    {
        try
        {
            string possible = File.ReadAllText("/sys/devices/system/cpu/possible");
            return int.Parse(possible.AsSpan(possible.LastIndexOfAny(['-', ',']) + 1), CultureInfo.InvariantCulture);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or FormatException)
        {
            return Environment.ProcessorCount - 1; // no /sys
        }
    }
}
