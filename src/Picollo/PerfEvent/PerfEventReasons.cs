using Picollo.Cpu.Linux;
using static Picollo.Interop.Linux.Errno;
using static Picollo.MeasurementUnavailableCause;

namespace Picollo.PerfEvent;

/// <summary>Explains the errors of perf_event_open(2) for a counter: the cause and a remedy.</summary>
internal static class PerfEventReasons
{
    public static MeasurementUnavailableException Describe(in PerfEventRequest counter, int errorNumber, in PerfMachine machine)
    {
        (MeasurementUnavailableCause cause, string text) = errorNumber switch
        {
            EACCES => NotPermitted(counter, machine),
            EPERM or ENOSYS when machine.Rights.IsFiltered => (SeccompFilter, Filtered(machine.Rights)),
            EPERM when machine.Rights.Has(LinuxCapability.PERFMON) =>
                (PermissionDenied, "a security module or the kernel's lockdown does not permit this counter"),
            EPERM => (PerfEventParanoid, $"the kernel does not permit this counter; {Set(machine.Setting, -1, machine)}"
                + Grant(machine.Rights, LinuxCapability.PERFMON)),
            ENOENT when counter.Definition.IsOfListedPmu => (NotSupported,
                "no PMU of this machine has this event; check its type (/sys/bus/event_source/devices/…/type) and config"),
            ENOENT when counter.Definition.NeedsPmu && !machine.HasPmu => (NotSupported,
                "this machine exposes no PMU, like most virtual machines; enable the virtual PMU in the hypervisor, "
                + "or use software counters"),
            ENOENT => (NotSupported,
                "this CPU, or the kernel's driver for it, does not have this event; `perf list` shows the available events"),
            ENODEV when counter.Cpu >= 0 => (TargetNotFound,
                $"CPU {counter.Cpu} is offline or does not exist, or the event does not exist on it"),
            ENODEV => (NotSupported, "the CPU lacks a feature that the event requires, such as precise sampling"),
            EOPNOTSUPP => (NotSupported,
                "the PMU does not support the request: 64-bit or user-space reading on a CPU without it, or counting without "
                + "the kernel on a PMU that cannot exclude it; include the kernel, or omit the counter"),
            EINVAL when counter.IsPinned => (Unknown,
                "there are more pinned counters than the CPU has, or an event, CPU or thread is incompatible with "
                + "the others; use fewer counters, or do not pin them, so that they are multiplexed"),
            EINVAL when counter.Definition.IsOfListedPmu && (!counter.CountsKernel || counter.ThreadId >= 0) => (NotSupported,
                "its PMU does not support this request or event; PMUs outside the cores cannot exclude the kernel, "
                + "and most count whole CPUs, not threads; otherwise check type and config"),
            EINVAL when counter.Cpu >= 0 => (Unknown,
                $"CPU {counter.Cpu} does not exist, or the kernel does not know this event or combination; "
                + "check the CPU number, type and config"),
            EINVAL => (NotSupported, "the kernel does not know this event or combination; check type and config"),
            EMFILE => (LimitReached, "this process has reached its limit of open files; each counter needs one for each thread"
                + $"{(counter.Cpu >= 0 ? " and CPU" : "")}; raise the limit (ulimit -n)"),
            ENFILE => (LimitReached, "the system has reached its limit of open files; raise fs.file-max"),
            EBUSY => (LimitReached, "a profiler, a hypervisor driver or the NMI watchdog has reserved the PMU; stop it, or set "
                + "kernel.nmi_watchdog=0"),
            E2BIG => (NotSupported, "the kernel is too old for this form of the request; update it"),
            ENOSYS => (NotSupported, "this kernel has no perf_event_open (CONFIG_PERF_EVENTS), or a sandbox hides it"),
            ESRCH => (TargetNotFound, $"there is no thread {counter.ThreadId}; it may have ended"),
            ENOMEM => (LimitReached, "the kernel is out of memory"),
            ENOSPC => (LimitReached, "no more hardware counters or breakpoints are free"),
            _ => (Unknown, "the kernel refused the counter for an unknown reason"),
        };
        return new($"{counter.Name}: {text} (perf_event_open: {NameOf(errorNumber)})", cause, errorNumber);
    }

    /// <summary>Returns the remedy for a seccomp filter. The default profile of Docker permits the call with either capability since
    /// version 23 (moby/moby #43987). That of Podman and CRI-O requires both before November 2025: with one of them, it returns EPERM or
    /// ENOSYS (containers/container-libs #424).</summary>
    private static string Filtered(in LinuxRights rights)
    {
        LinuxCapability[] missing = [.. new[] { LinuxCapability.PERFMON, LinuxCapability.SYS_ADMIN }.Where(rights.Lacks)];
        string capabilities = missing.Length switch
        {
            0 => "",
            1 => $", or add --cap-add {missing[0]}, because some versions of Podman require both CAP_PERFMON and CAP_SYS_ADMIN",
            _ => ", or add --cap-add PERFMON (Docker 23) or --cap-add PERFMON --cap-add SYS_ADMIN (Podman)",
        };
        return "a seccomp filter refuses perf_event_open; allow it in the seccomp profile of the container "
            + $"(--security-opt seccomp=…){capabilities}";
    }

    /// <summary>Returns the alternative to a setting: a capability; empty if it would have no effect.</summary>
    private static string Grant(in LinuxRights rights, LinuxCapability capability) =>
        rights.IsInUserNamespace ? " (capabilities have no effect in a user namespace, such as a rootless container)"
        : rights.IsRoot ? $", or add CAP_{capability} to the container (--cap-add {capability})"
        : $", or grant CAP_{capability}";

    private static string Set(string name, int level, in PerfMachine machine)
    {
        string place = machine.Rights.AreContained ? " outside of the container" : "";
        return string.Create(
            CultureInfo.InvariantCulture,
            $"set {name} to {level} or less (sysctl kernel.perf_event_paranoid={level}){place}");
    }

    private static (MeasurementUnavailableCause Cause, string Text) NotPermitted(in PerfEventRequest counter, in PerfMachine machine)
    {
        // Levels above 2 exist only in the kernels of some distributions. The patch of Debian requires CAP_SYS_ADMIN where the kernel
        // otherwise requires CAP_PERFMON (seen on 6.1: CAP_PERFMON changes nothing there).
        bool isClosed = machine.Paranoid is > 2;
        LinuxRights rights = machine.Rights;
        if (rights.Has(LinuxCapability.SYS_ADMIN) || (rights.Has(LinuxCapability.PERFMON) && !isClosed))
        {
            return (rights.IsFiltered ? SeccompFilter : PermissionDenied,
                $"{rights.Filter} does not permit this counter, although this process has the capability; allow it");
        }

        if (counter is { ThreadId: > 0, CountsKernel: false } && !isClosed)
        {
            return (PermissionDenied,
                $"this user may not count another user's thread; run as that user{Grant(rights, LinuxCapability.PERFMON)}");
        }

        if (isClosed)
        {
            string also = rights.AreContained ? "" : " (on some kernels CAP_PERFMON is enough)";
            return (PerfEventParanoid,
                $"kernel.perf_event_paranoid is {machine.Paranoid}, which denies all counters to unprivileged users; "
                + $"{Set("it", 2, machine)}{Grant(rights, LinuxCapability.SYS_ADMIN)}{also}");
        }

        string wider = counter.ThreadId < 0 ? "everything on a CPU" : "events in the kernel";
        string narrower = counter is { CountsKernel: true, ThreadId: >= 0, Definition.HappensInKernel: false }
            ? ", or count user code only"
            : "";
        return (PerfEventParanoid, $"this user may not count {wider}; {Set(machine.Setting, counter.ThreadId < 0 ? 0 : 1, machine)}"
            + Grant(rights, LinuxCapability.PERFMON) + narrower);
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

/// <summary>A requested counter: the properties that determine the meaning of an error.</summary>
internal readonly record struct PerfEventRequest(
    string Name, PerfEventDefinition Definition, bool CountsKernel, bool IsPinned, int ThreadId, int Cpu);

/// <summary>The properties of the machine that determine the meaning of an error. The paranoid setting is null if it is unknown.</summary>
internal readonly record struct PerfMachine(bool HasPmu, int? Paranoid, LinuxRights Rights = default)
{
    /// <summary>The name of the setting, with its value if that is known.</summary>
    public string Setting => $"kernel.perf_event_paranoid{(Paranoid is { } value ? $" (now {value})" : "")}";

    public static PerfMachine Read() => new(
        HasPmu: Directory.Exists("/sys/bus/event_source/devices/cpu") || HasArmPmu(),
        Paranoid: ReadParanoid(),
        LinuxRights.Read());

    // The name is "cpu" on x64 ("cpu_core" and "cpu_atom" on hybrid CPUs), and "armv8_pmuv3_0", "armv8_cortex_a72" and so on on arm64. If
    // the directory cannot be read (the limit of open files is reached), assume that there is a PMU.
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

    /// <summary>Reads a number from a file in /proc/sys, whose path ends with a zero; null if it cannot be read.</summary>
    public static int? ReadSetting(ReadOnlySpan<byte> path)
    {
        byte[] buffer = new byte[64];
        return LinuxFiles.TryReadAll(path, ref buffer, out ReadOnlySpan<byte> text)
            && new TextFields(text).TryNextInt(out int level) ? level : null;
    }
}
