namespace Picollo.Cpu.Linux;

/// <summary>Why a part of <see cref="SystemCpu"/> is absent on Linux: each a cause and a remedy.</summary>
internal static class LinuxReasons
{
    private const string MountProc = "mount /proc (mount -t proc proc /proc), or give the container one.";

    public const string NoProc = "/proc cannot be opened: mount it (mount -t proc proc /proc), or give the container one.";
    public const string NoStates = "/proc/stat cannot be read, or has no line for the CPUs: " + MountProc;
    public const string NoLoadAverage = "/proc/loadavg cannot be read, or is malformed: " + MountProc;
    public const string NoMemory = "/proc/meminfo cannot be read, or does not tell what there is and what is free: " + MountProc;

    public const string NoRunQueue =
        "Neither /proc/stat nor /proc/loadavg tells how many threads run: mount /proc (mount -t proc proc /proc).";

    public const string NoPressure =
        "/proc/pressure/cpu cannot be read: the kernel is older than 4.20, or was built without CONFIG_PSI, or has it turned off; "
        + "where it is turned off, the kernel's command line turns it on with psi=1.";

    public const string NoOwners =
        "Nobody's processes can be told: statx(2) was refused (a kernel before 4.11, or a seccomp filter; allow it), or its number is not "
        + "known for this architecture.";

    public const string NoWaits =
        "The kernel does not count how long threads wait for a CPU: it was built without CONFIG_SCHED_INFO (CONFIG_SCHEDSTATS or "
        + "CONFIG_TASK_DELAY_ACCT turn it on), or started with nodelayacct.";

    public const string NoListing =
        "The processes in /proc cannot be listed: getdents64(2) was refused (probably by a seccomp filter; allow it), or its number is "
        + "not known for this architecture.";

    public const string Hidden =
        "Some processes are hidden: /proc is probably mounted with hidepid; run as root or in the group that the mount's gid= names, "
        + "or mount /proc with hidepid=0.";

    public const string OtherNamespace =
        "/proc was mounted in another namespace of process ids, where ids mean other processes: mount one here (mount -t proc proc /proc).";

    public const string NoDescriptors =
        "A file of /proc could not be opened because this process or the system has no file descriptor left: close some, or raise the "
        + "limit (ulimit -n).";

    public const string NotInCgroup =
        "/proc/self/cgroup names no cgroup with the cpu controller: the kernel was built without CONFIG_CGROUP_SCHED, or /proc is not "
        + "mounted.";

    public const string CgroupNotMounted =
        "The cgroup file system with the cpu controller is not mounted, as /proc/self/mountinfo has it: mount /sys/fs/cgroup, or give "
        + "the container one.";

    public const string CgroupOutside =
        "This process's cgroup is outside of what is mounted of the cgroup file system: mount all of it, or run in the cgroup namespace "
        + "that it was mounted in.";

    public const string CgroupGone =
        "The directory of this process's cgroup has no CPU files: it was removed, or is hidden by another mount.";
}
