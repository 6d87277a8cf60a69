using Picollo.Interop.Windows;

namespace Picollo.Cpu.Windows;

/// <summary>Reads the system with <c>NtQuerySystemInformation</c>: one call for the CPUs and one for all processes and threads.</summary>
[SupportedOSPlatform("windows")]
internal sealed unsafe class WindowsSystemCpuSource : ISystemCpuSource
{
    private const int ProcessorsInGroup = 64;
    private const int FirstListSize = 256 * 1024;

    /// <summary>The number of attempts to read a list that grows in the meantime.</summary>
    private const int MaxListAttempts = 8;

    private const string NoList = "Windows refused NtQuerySystemInformation(SystemProcessInformation).";
    private const string NoThreadStates =
        "This Windows version (Wine) does not report thread states, so the number of running threads is unknown.";

    private static readonly (SystemCpuParts Part, string Reason)[] Unavailable =
    [
        (SystemCpuParts.LoadAverage, "Windows has no load average. SystemCpu.RunnableThreadCount is the number of running threads."),
        (SystemCpuParts.Cgroup, "Windows has no cgroups. The limits of job objects are not read."),
        (SystemCpuParts.Pressure, "Windows has no pressure stall information."),
        (SystemCpuParts.Memory, "Windows reports the sizes of processes, but not their shared memory. The machine's memory is not read."),
        (SystemCpuParts.Owners, "Process owners on Windows are SIDs, not numbers. They are not read."),
        (SystemCpuParts.Waits, "Windows does not report how long threads wait for a CPU."),
    ];

    private readonly ProcessList _processes;
    private byte[] _list = [];

    public WindowsSystemCpuSource() => _processes = new ProcessList(DateTime.UtcNow.ToFileTimeUtc() - ClockUnits);

    // The clock continues while the machine sleeps ("Acquiring high-resolution time stamps" in the Windows documentation).
    private static long ClockUnits => Stopwatch.GetElapsedTime(0).Ticks;

    public void Read(SystemCpuSample sample, SystemCpuParts parts)
    {
        ReadStates(sample);
        sample.TimestampNanoseconds = ClockUnits * TimeSpan.NanosecondsPerTick;
        sample.SetUnavailableReasons(Unavailable);
        if ((parts & (SystemCpuParts.RunQueue | SystemCpuParts.Processes | SystemCpuParts.Threads)) != 0)
        {
            ReadTasks(sample, parts);
        }
    }

    private static void ReadStates(SystemCpuSample sample)
    {
        ProcessorTimes total = default;
        ProcessorTimes* processors = stackalloc ProcessorTimes[ProcessorsInGroup];
        int groups = Kernel32.GetActiveProcessorGroupCount();
        for (ushort group = 0; group < groups; group++)
        {
            // Only the extended call supports other groups, and only the plain call exists everywhere (Wine has no other).
            int size = ProcessorsInGroup * sizeof(ProcessorTimes);
            int filled = 0;
            int status = groups == 1
                ? NtDll.NtQuerySystemInformation(NtDll.SystemProcessorPerformanceInformation, processors, size, &filled)
                : NtDll.NtQuerySystemInformationEx(
                    NtDll.SystemProcessorPerformanceInformation, &group, sizeof(ushort), processors, size, &filled);
            if (status != 0)
            {
                sample.SetStatesFailure(new(
                    "Windows refused NtQuerySystemInformation(SystemProcessorPerformanceInformation).",
                    MeasurementUnavailableCause.Unknown,
                    status));
                return;
            }

            int count = Math.Min(filled / sizeof(ProcessorTimes), ProcessorsInGroup);
            for (int i = 0; i < count; i++)
            {
                sample.Cpus.Add(((group * ProcessorsInGroup) + i, processors[i].States));
                total = total.Plus(processors[i]);
            }
        }

        sample.Total = total.States;
    }

    private void ReadTasks(SystemCpuSample sample, SystemCpuParts parts)
    {
        if (!TryFillList(out int length))
        {
            sample.SetUnavailableReason(SystemCpuParts.RunQueue | SystemCpuParts.Processes | SystemCpuParts.Threads, NoList);
            return;
        }

        // The array is pinned for its lifetime, so its names are still at their addresses.
        fixed (byte* list = _list)
        {
            _processes.Read(_list.AsSpan(0, length), (ulong)list, sample, parts);
        }

        if (sample.RunQueue is null or { Running: null })
        {
            sample.SetUnavailableReason(SystemCpuParts.RunQueue, NoThreadStates);
        }
    }

    private bool TryFillList(out int length)
    {
        length = 0;
        int size = FirstListSize;
        for (int i = 0; i < MaxListAttempts; i++)
        {
            if (_list.Length < size)
            {
                _list = GC.AllocateUninitializedArray<byte>(size, pinned: true);
            }

            int status;
            int needed = 0;
            fixed (byte* list = _list)
            {
                status = NtDll.NtQuerySystemInformation(NtDll.SystemProcessInformation, list, _list.Length, &needed);
            }

            if (status != NtDll.STATUS_INFO_LENGTH_MISMATCH)
            {
                length = Math.Clamp(needed, 0, _list.Length);
                return status == 0;
            }

            // Doubled, for tasks that start before the next attempt.
            size = Math.Max(needed, _list.Length) * 2;
        }

        return false;
    }
}
