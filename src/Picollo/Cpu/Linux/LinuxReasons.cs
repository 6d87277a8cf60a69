using Picollo.Interop.Linux;

namespace Picollo.Cpu.Linux;

/// <summary>Reasons why a part of <see cref="SystemCpu"/> is absent on Linux, each with a cause and a remedy.</summary>
internal static class LinuxReasons
{
    private const string MountProc = "Run `mount -t proc proc /proc` as root, or mount /proc into the container.";

    public const string NoProc = "/proc cannot be opened. " + MountProc;
    public const string NoStates = "/proc/stat cannot be read, or has no line for the CPUs. " + MountProc;
    public const string NoLoadAverage = "/proc/loadavg cannot be read, or is malformed. " + MountProc;
    public const string NoMemory = "/proc/meminfo cannot be read, or does not contain the total and free memory. " + MountProc;

    public const string NoRunQueue =
        "Neither /proc/stat nor /proc/loadavg reports the number of running threads. " + MountProc;

    public const string NoPressure =
        "/proc/pressure/cpu cannot be read. The kernel is older than 4.20, was built without CONFIG_PSI, or has PSI disabled. "
        + "If PSI is disabled, add psi=1 to the kernel command line.";

    public const string NoOwners =
        "Process owners are unavailable: statx(2) was refused (by a kernel before 4.11, or by a seccomp filter; allow the call), or its "
        + "number is unknown on this architecture.";

    public const string NoWaits =
        "The kernel does not record how long threads wait for a CPU. It was built without CONFIG_SCHED_INFO (enabled by "
        + "CONFIG_SCHEDSTATS or CONFIG_TASK_DELAY_ACCT), or started with nodelayacct.";

    public const string NoListing =
        "The processes in /proc cannot be listed: getdents64(2) was refused (probably by a seccomp filter; allow the call), or its number "
        + "is unknown on this architecture.";

    public const string Hidden = "Some processes are hidden. /proc is probably mounted with hidepid. " + ShowHidden;

    private const string ShowHidden =
        "Run as root (in a container, with CAP_SYS_PTRACE) or as a member of the group in the gid= mount option, or mount /proc with "
        + "hidepid=0.";

    /// <summary>Returns the reason why /proc does not show a process that exists.</summary>
    public static MeasurementUnavailableException HiddenProcess(int id) => new(
        $"Process {id} exists, but /proc hides it, because it is mounted with hidepid. {ShowHidden}",
        MeasurementUnavailableCause.PermissionDenied,
        Errno.EACCES);

    /// <summary>Returns the reason why /proc does not contain a process. The error is EACCES if it exists.</summary>
    public static MeasurementUnavailableException NotFound(int id) => LibC.kill(id, 0) == 0 || Marshal.GetLastPInvokeError() == Errno.EPERM
        ? HiddenProcess(id)
        : CpuTimeReasons.NoProcess(id, Errno.ESRCH);

    /// <summary>Returns the reason why the last file could not be read: see <see cref="LinuxFiles.ReadFailureReason"/>.</summary>
    /// <param name="reason">The reason, unless no file descriptor is left.</param>
    /// <param name="cause">The cause, unless the error number shows another one.</param>
    /// <param name="start">The start of the message.</param>
    public static MeasurementUnavailableException NotRead(string reason, MeasurementUnavailableCause cause, string start = "")
    {
        int error = Marshal.GetLastPInvokeError();
        MeasurementUnavailableCause known = CauseOf(error);
        return new(
            start + LinuxFiles.ReadFailureReason(reason),
            known is MeasurementUnavailableCause.LimitReached or MeasurementUnavailableCause.PermissionDenied ? known : cause,
            error == 0 ? null : error);
    }

    /// <summary>Returns the usual cause of an error number.</summary>
    public static MeasurementUnavailableCause CauseOf(int error) => error switch
    {
        Errno.EPERM or Errno.EACCES => MeasurementUnavailableCause.PermissionDenied,
        Errno.ENOSYS => MeasurementUnavailableCause.NotSupported,
        Errno.ESRCH => MeasurementUnavailableCause.TargetNotFound,
        Errno.EMFILE or Errno.ENFILE or Errno.ENOMEM or Errno.ENOSPC or Errno.EAGAIN => MeasurementUnavailableCause.LimitReached,
        _ => MeasurementUnavailableCause.Unknown,
    };

    public const string OtherNamespace =
        "/proc was mounted in another PID namespace, where IDs refer to other processes. Run `mount -t proc proc /proc` as root in this "
        + "namespace.";

    public const string NoDescriptors =
        "A file of /proc could not be opened, because this process or the system has no file descriptors left. Close some, or raise the "
        + "limit (ulimit -n).";

    public const string NotInCgroup =
        "/proc/self/cgroup does not list a cgroup with the cpu controller. The kernel was built without CONFIG_CGROUP_SCHED, or /proc "
        + "is not mounted.";

    public const string CgroupNotMounted =
        "The cgroup file system with the cpu controller is not mounted, according to /proc/self/mountinfo. Mount /sys/fs/cgroup, or "
        + "mount it into the container.";

    public const string CgroupOutside =
        "The cgroup of this process is outside the mounted part of the cgroup file system. Mount the whole file system, or run in the "
        + "cgroup namespace in which it was mounted.";

    public const string CgroupGone =
        "The cgroup directory of this process has no CPU files. It was removed, or another mount hides it.";
}
