using Picollo.Interop.Linux;

namespace Picollo.Cpu.Linux;

/// <summary>Reads the system from /proc and the cgroup file systems.</summary>
/// <param name="root">Empty for this machine, or the directory of a captured one.</param>
internal sealed class LinuxSystemCpuSource(string root) : ISystemCpuSource
{
    private readonly byte[] _statPath = PathOf(root, "/proc/stat");
    private readonly byte[] _loadAveragePath = PathOf(root, "/proc/loadavg");
    private readonly byte[] _pressurePath = PathOf(root, "/proc/pressure/cpu");
    private readonly byte[] _memInfoPath = PathOf(root, "/proc/meminfo");
    private readonly byte[] _autogroupPath = PathOf(root, "/proc/sys/kernel/sched_autogroup_enabled");
    private readonly LinuxCgroup _cgroup = new(root);
    private readonly LinuxTasks _tasks = new(root + "/proc");
    private byte[] _buffer = new byte[16 * 1024];

    public void Read(SystemCpuSample sample, SystemCpuParts parts)
    {
        if (!TryRead(_statPath, out ReadOnlySpan<byte> text) || !ProcStat.TryParse(text, sample))
        {
            sample.SetStatesFailure(LinuxReasons.NotRead(LinuxReasons.NoStates, MeasurementUnavailableCause.NotSupported));
        }

        if ((parts & (SystemCpuParts.LoadAverage | SystemCpuParts.RunQueue)) != 0)
        {
            ReadLoad(sample);
        }

        if ((parts & SystemCpuParts.Pressure) != 0)
        {
            sample.Pressure = TryRead(_pressurePath, out text) && ProcPressure.TryParse(text, out CpuPressure some) ? some : null;
            Require(sample.Pressure is not null, sample, SystemCpuParts.Pressure, LinuxReasons.NoPressure);
        }

        if ((parts & SystemCpuParts.Memory) != 0)
        {
            sample.Memory = TryRead(_memInfoPath, out text) && ProcMemory.TryParse(text, out MachineMemory memory) ? memory : null;
            Require(sample.Memory is not null, sample, SystemCpuParts.Memory, LinuxReasons.NoMemory);
        }

        sample.TimestampNanoseconds = Now();
        if ((parts & SystemCpuParts.Cgroup) != 0)
        {
            _cgroup.Read(sample);
        }

        if ((parts & (SystemCpuParts.Processes | SystemCpuParts.Threads)) != 0)
        {
            _tasks.Read(sample, parts);

            // The file does not exist if the kernel has no autogroups.
            sample.HasAutogroups = TryRead(_autogroupPath, out text) ? CgroupFiles.ParseNumber(text) != 0
                : LinuxFiles.IsLastAbsent ? false
                : null;
        }
    }

    public string[]? GetCommandLine(int processId) => _tasks.GetCommandLine(processId);

    private static byte[] PathOf(string root, string path) => Encoding.UTF8.GetBytes(root + path + '\0');

    private static unsafe long Now()
    {
        LibC.Timespec time;
        return LibC.clock_gettime(LibC.CLOCK_BOOTTIME, &time) == 0 ? time.TotalNanoseconds : 0;
    }

    private static void Require(bool isRead, SystemCpuSample sample, SystemCpuParts part, string reason)
    {
        if (!isRead)
        {
            sample.SetUnavailableReason(part, LinuxFiles.ReadFailureReason(reason));
        }
    }

    private bool TryRead(byte[] path, out ReadOnlySpan<byte> text) => LinuxFiles.TryReadAll(path, ref _buffer, out text);

    private void ReadLoad(SystemCpuSample sample)
    {
        int? running = null, threads = null;
        sample.LoadAverage = TryRead(_loadAveragePath, out ReadOnlySpan<byte> text)
            && ProcLoadAverage.TryParse(text, out LoadAverage average, out running, out threads)
            ? average
            : null;
        Require(sample.LoadAverage is not null, sample, SystemCpuParts.LoadAverage, LinuxReasons.NoLoadAverage);
        if (threads is not null)
        {
            sample.RunQueue = new RunQueueState(sample.RunQueue?.Running ?? running, sample.RunQueue?.Blocked, threads);
        }

        Require(sample.RunQueue is not null, sample, SystemCpuParts.RunQueue, LinuxReasons.NoRunQueue);
    }
}
