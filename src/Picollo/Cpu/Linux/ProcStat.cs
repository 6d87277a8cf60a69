namespace Picollo.Cpu.Linux;

/// <summary>Parses /proc/stat (proc_stat(5)).</summary>
internal static class ProcStat
{
    /// <summary>The length of a tick in /proc: USER_HZ is 100 on every architecture that .NET supports, regardless of the kernel's own
    /// tick.</summary>
    public const long NanosecondsPerTick = 10_000_000;

    /// <summary>User, nice, system and idle, which every kernel has; newer kernels have more.</summary>
    private const int MinStates = 4;

    /// <summary>Sets the states and the run queue. Returns false, and sets no states, if the line for all CPUs is missing.</summary>
    public static bool TryParse(ReadOnlySpan<byte> text, SystemCpuSample sample)
    {
        int? running = null, blocked = null;
        while (TextFields.TryTakeLine(ref text, out ReadOnlySpan<byte> line))
        {
            var fields = new TextFields(line);
            if (!fields.TryNext(out ReadOnlySpan<byte> name))
            {
                continue;
            }

            if (name.StartsWith("cpu"u8))
            {
                AddCpu(name["cpu".Length..], ref fields, sample);
            }
            else if (name.SequenceEqual("procs_running"u8) && fields.TryNextInt(out int value) && value >= 0)
            {
                running = value;
            }
            else if (name.SequenceEqual("procs_blocked"u8) && fields.TryNextInt(out value) && value >= 0)
            {
                blocked = value;
            }
        }

        if (running is not null || blocked is not null)
        {
            sample.RunQueue = new RunQueueState(running, blocked, null);
        }

        return sample.Total[CpuState.User] is not null;
    }

    private static void AddCpu(ReadOnlySpan<byte> number, ref TextFields fields, SystemCpuSample sample)
    {
        CpuStateTimes times = ParseTimes(ref fields);
        if (times[CpuState.User] is null)
        {
            return;
        }

        if (number.IsEmpty)
        {
            sample.Total = times;
        }
        else if (TextFields.TryParseCount(number, out long cpu) && cpu <= int.MaxValue)
        {
            sample.Cpus.Add(((int)cpu, times));
        }
    }

    private static CpuStateTimes ParseTimes(ref TextFields fields)
    {
        PerCpuState<long> times = default;
        int count = 0;
        while (count < PerCpuState<long>.Count && fields.TryNextCount(out long ticks))
        {
            times[count++] = TextFields.Scale(ticks, NanosecondsPerTick);
        }

        if (count < MinStates)
        {
            return default;
        }

        // The kernel counts guests twice (account_guest_time). The two counters are not read at the same moment, so clamp at 0.
        times[(int)CpuState.User] = Math.Max(times[(int)CpuState.User]!.Value - (times[(int)CpuState.Guest] ?? 0), 0);
        times[(int)CpuState.Nice] = Math.Max(times[(int)CpuState.Nice]!.Value - (times[(int)CpuState.GuestNice] ?? 0), 0);
        return new CpuStateTimes(times);
    }
}
