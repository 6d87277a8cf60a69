using System.Text;
using Picollo.Interop.Linux;

namespace Picollo.Cpu.Linux;

/// <summary>Reads the machine from /proc and the cgroup file systems.</summary>
internal sealed class LinuxSystemCpuSource : ISystemCpuSource
{
    private readonly byte[] _statPath;
    private readonly byte[] _loadAveragePath;
    private readonly byte[] _pressurePath;
    private readonly byte[] _memInfoPath;
    private readonly byte[] _autogroupPath;
    private readonly LinuxCgroup _cgroup;
    private readonly LinuxTasks _tasks;
    private byte[] _buffer = new byte[16 * 1024];

    /// <summary>Prepares to read the files under <paramref name="root"/>: empty for the machine, a directory for a captured
    /// one.</summary>
    public LinuxSystemCpuSource(string root)
    {
        _statPath = PathOf(root, "/proc/stat");
        _loadAveragePath = PathOf(root, "/proc/loadavg");
        _pressurePath = PathOf(root, "/proc/pressure/cpu");
        _memInfoPath = PathOf(root, "/proc/meminfo");
        _autogroupPath = PathOf(root, "/proc/sys/kernel/sched_autogroup_enabled");
        _cgroup = new LinuxCgroup(root);
        _tasks = new LinuxTasks(root + "/proc");
    }

    public void Read(SystemCpuSample sample, SystemCpuParts parts)
    {
        ReadStates(sample);
        if ((parts & (SystemCpuParts.LoadAverage | SystemCpuParts.RunQueue)) != 0)
        {
            ReadLoad(sample);
        }

        if ((parts & SystemCpuParts.Pressure) != 0)
        {
            ReadPressure(sample);
        }

        if ((parts & SystemCpuParts.Memory) != 0)
        {
            ReadMemory(sample);
        }

        sample.TimestampNanoseconds = Now();
        if ((parts & SystemCpuParts.Cgroup) != 0)
        {
            _cgroup.Read(sample);
        }

        if ((parts & (SystemCpuParts.Processes | SystemCpuParts.Threads)) != 0)
        {
            _tasks.Read(sample, parts);
            ReadAutogroups(sample);
        }
    }

    public string[]? GetCommandLine(int processId) => _tasks.GetCommandLine(processId);

    public void Dispose()
    {
    }

    private static byte[] PathOf(string root, string path) => Encoding.UTF8.GetBytes(root + path + '\0');

    private static unsafe long Now()
    {
        LibC.Timespec time;
        return LibC.clock_gettime(LibC.CLOCK_BOOTTIME, &time) == 0 ? time.TotalNanoseconds : 0;
    }

    private void ReadStates(SystemCpuSample sample)
    {
        if (!LinuxFiles.TryReadAll(_statPath, ref _buffer, out ReadOnlySpan<byte> text) || !ProcStat.TryParse(text, sample))
        {
            sample.SetUnavailableReason(SystemCpuParts.States, LinuxFiles.WhyNotRead(LinuxReasons.NoStates));
        }
    }

    private void ReadLoad(SystemCpuSample sample)
    {
        if (LinuxFiles.TryReadAll(_loadAveragePath, ref _buffer, out ReadOnlySpan<byte> text)
            && ProcLoadAverage.TryParse(text, out LoadAverage average, out int? running, out int? threads))
        {
            sample.LoadAverage = average;
            if (threads is not null)
            {
                sample.RunQueue = new RunQueueState(sample.RunQueue?.Running ?? running, sample.RunQueue?.Blocked, threads);
            }
        }
        else
        {
            sample.SetUnavailableReason(SystemCpuParts.LoadAverage, LinuxFiles.WhyNotRead(LinuxReasons.NoLoadAverage));
        }

        if (sample.RunQueue is null)
        {
            sample.SetUnavailableReason(SystemCpuParts.RunQueue, LinuxFiles.WhyNotRead(LinuxReasons.NoRunQueue));
        }
    }

    private void ReadMemory(SystemCpuSample sample)
    {
        if (LinuxFiles.TryReadAll(_memInfoPath, ref _buffer, out ReadOnlySpan<byte> text)
            && ProcMemory.TryParse(text, out MachineMemory memory))
        {
            sample.Memory = memory;
        }
        else
        {
            sample.SetUnavailableReason(SystemCpuParts.Memory, LinuxFiles.WhyNotRead(LinuxReasons.NoMemory));
        }
    }

    // A kernel without autogroups has no such file.
    private void ReadAutogroups(SystemCpuSample sample) =>
        sample.HasAutogroups =
            LinuxFiles.TryReadAll(_autogroupPath, ref _buffer, out ReadOnlySpan<byte> text) ? CgroupFiles.ParseNumber(text) != 0
            : LinuxFiles.IsLastAbsent ? false
            : null;

    private void ReadPressure(SystemCpuSample sample)
    {
        if (LinuxFiles.TryReadAll(_pressurePath, ref _buffer, out ReadOnlySpan<byte> text)
            && ProcPressure.TryParse(text, out CpuPressure pressure))
        {
            sample.Pressure = pressure;
        }
        else
        {
            sample.SetUnavailableReason(SystemCpuParts.Pressure, LinuxFiles.WhyNotRead(LinuxReasons.NoPressure));
        }
    }
}
