using Picollo.Cpu.Linux;
using static Picollo.Interop.Linux.Errno;

namespace Picollo.PerfEvent;

/// <summary>What each error of perf_event_open(2) means for a counter, and what can be done about it.</summary>
internal static class PerfEventReasons
{
    /// <summary>The message for an error at a counter that was to be opened.</summary>
    public static string Describe(in PerfEventRequest counter, int errorNumber, in PerfMachine machine) =>
        $"{counter.Name}: {Cause(counter, errorNumber, machine)} (perf_event_open: {NameOf(errorNumber)})";

    private static string Cause(in PerfEventRequest counter, int errorNumber, in PerfMachine machine) => errorNumber switch
    {
        EACCES => NotPermittedCause(counter, machine),
        EPERM => "the kernel or a seccomp filter does not permit it; grant CAP_PERFMON, lower kernel.perf_event_paranoid"
            + $"{machine.ParanoidText}, or let the container's seccomp profile allow perf_event_open (Docker: --security-opt seccomp=…)",
        ENOENT when counter.Definition.IsOfListedPmu =>
            "no PMU here has this event: check its type (/sys/bus/event_source/devices/…/type) and config",
        ENOENT when counter.Definition.NeedsPmu && !machine.HasPmu =>
            "this machine exposes no PMU, as most virtual machines do not; turn the virtual PMU on in the hypervisor, "
            + "or use software counters",
        ENOENT => "this CPU, or the kernel's driver for it, has no such event; `perf list` shows those it has",
        ENODEV => counter.Cpu >= 0
            ? $"CPU {counter.Cpu} is offline or does not exist, or the event does not exist on it"
            : "the CPU does not have what the event needs, such as the precise sampling of some",
        EOPNOTSUPP => "the PMU does not support what was asked for: 64-bit or user-space reading on a CPU without it, or counting without "
            + "the kernel on a PMU that cannot; count the kernel's part, too, or leave the counter out",
        EINVAL when counter.IsPinned => "more pinned counters than the CPU has, or an event, CPU or thread that does not go with "
            + "the others; use fewer counters, or do not pin them, so that they take turns",
        EINVAL when counter.Definition.IsOfListedPmu && (!counter.CountsKernel || counter.ThreadId >= 0) =>
            "its PMU does not count it so, or has no such event: those outside of the cores cannot leave the kernel's part out, "
            + "and most count whole CPUs only, not threads; else check type and config",
        EINVAL when counter.Cpu >= 0 => $"CPU {counter.Cpu} does not exist, or the kernel does not know this event or combination: "
            + "check the CPU's number, type and config",
        EINVAL => "the kernel does not know this event or combination: check type and config",
        EMFILE => "this process has as many files open as it may; each counter takes one for each thread"
            + $"{(counter.Cpu >= 0 ? " and CPU" : "")}: raise the limit (ulimit -n)",
        ENFILE => "the system has as many files open as it may; raise fs.file-max",
        EBUSY => "something else has reserved the PMU (a profiler, a hypervisor's driver, the NMI watchdog); stop it, or set "
            + "kernel.nmi_watchdog=0",
        E2BIG => "the kernel is older than the request's form; update it",
        ENOSYS => "this kernel has no perf_event_open (CONFIG_PERF_EVENTS), or a sandbox hides it",
        ESRCH => $"there is no thread {counter.ThreadId}; it may have ended",
        ENOMEM => "the kernel has no memory for it",
        ENOSPC => "no more hardware counters or breakpoints are free",
        _ => "the kernel refused it for a reason that is not known here",
    };

    private static string NotPermittedCause(in PerfEventRequest counter, in PerfMachine machine)
    {
        if (counter is { ThreadId: > 0, CountsKernel: false } && machine.Paranoid is <= 2)
        {
            return "this user may not count another user's thread; run as that user, or grant CAP_PERFMON";
        }

        string wider = counter.ThreadId < 0 ? "everything on a CPU" : "the kernel's part";
        string sufficient = counter.ThreadId < 0 ? "0" : "1";
        string narrower = counter is { CountsKernel: true, ThreadId: >= 0, Definition.HappensInKernel: false }
            ? ", or count user code only"
            : "";
        // Levels above 2 are distributions' own; Debian's patch asks for CAP_SYS_ADMIN where the kernel otherwise asks for CAP_PERFMON
        // (seen on 6.1: CAP_PERFMON changes nothing there).
        return machine.Paranoid is > 2
            ? $"kernel.perf_event_paranoid is {machine.Paranoid}, which permits unprivileged users no counter at all; set it to 2 or less "
                + $"(sysctl kernel.perf_event_paranoid=2), or grant CAP_SYS_ADMIN (on some kernels CAP_PERFMON is enough)"
            : $"this user may not count {wider}; set kernel.perf_event_paranoid{machine.ParanoidText} to {sufficient} or less "
                + $"(sysctl kernel.perf_event_paranoid={sufficient}), or grant CAP_PERFMON{narrower}";
    }

    private static string NameOf(int errorNumber) => errorNumber switch
    {
        EPERM => nameof(EPERM),
        ENOENT => nameof(ENOENT),
        ESRCH => nameof(ESRCH),
        E2BIG => nameof(E2BIG),
        EBADF => nameof(EBADF),
        ENOMEM => nameof(ENOMEM),
        EACCES => nameof(EACCES),
        EBUSY => nameof(EBUSY),
        ENODEV => nameof(ENODEV),
        EINVAL => nameof(EINVAL),
        ENFILE => nameof(ENFILE),
        EMFILE => nameof(EMFILE),
        ENOSPC => nameof(ENOSPC),
        ENOSYS => nameof(ENOSYS),
        EOPNOTSUPP => nameof(EOPNOTSUPP),
        _ => $"errno {errorNumber}",
    };
}

/// <summary>One counter that was asked for, as far as an error's meaning depends on it.</summary>
internal readonly record struct PerfEventRequest(
    string Name, PerfEventDefinition Definition, bool CountsKernel, bool IsPinned, int ThreadId, int Cpu);

/// <summary>What an error's meaning depends on besides the counter.</summary>
/// <param name="HasPmu">Whether the kernel has a driver for this machine's PMU.</param>
/// <param name="Paranoid">kernel.perf_event_paranoid, where it can be read.</param>
internal readonly record struct PerfMachine(bool HasPmu, int? Paranoid)
{
    public string ParanoidText => Paranoid is { } value ? $" (now {value})" : "";

    /// <summary>This machine, now.</summary>
    public static PerfMachine Read() => new(
        HasPmu: Directory.Exists("/sys/bus/event_source/devices/cpu") || HasArmPmu(),
        Paranoid: ReadParanoid());

    // x64 names it "cpu" (hybrid ones "cpu_core" and "cpu_atom"), arm64 "armv8_pmuv3_0", "armv8_cortex_a72" and so on.
    // Where that cannot be seen (no more files may be opened), none is taken to lack.
    private static bool HasArmPmu()
    {
        const string devices = "/sys/bus/event_source/devices";
        try
        {
            return Directory.Exists(devices) && Directory.EnumerateFileSystemEntries(devices)
                .Select(Path.GetFileName)
                .Any(name => name!.StartsWith("armv", StringComparison.Ordinal) || name.StartsWith("cpu_", StringComparison.Ordinal));
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return true;
        }
    }

    private static int? ReadParanoid() => ReadSetting("/proc/sys/kernel/perf_event_paranoid\0"u8);

    /// <summary>A number of a file in /proc/sys, whose path ends with a zero; null where it cannot be read.</summary>
    public static int? ReadSetting(ReadOnlySpan<byte> path)
    {
        byte[] buffer = new byte[64];
        return LinuxFiles.TryReadAll(path, ref buffer, out ReadOnlySpan<byte> text)
            && new TextFields(text).TryNextInt(out int level) ? level : null;
    }
}
