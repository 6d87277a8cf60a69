using Picollo.Cpu.Linux;
using Picollo.Interop.Linux;
using Picollo.PerfEvent;
using static Picollo.Cpu.Linux.LinuxCapability;

namespace Picollo.Tests.Cpu.Linux;

/// <summary>Tests that the remedy for a refused call is one that the process can use.</summary>
public sealed class LinuxRightsTests
{
    private const string Map = "         0          0 4294967295\n";
    private const ulong All = ulong.MaxValue;
    private const ulong Docker = 0xa80425fb; // the default capabilities of a container, which include KILL

    public enum Holder
    {
        User,
        Root,
        UserWithPerfMon,
        ContainerRoot,
        FilteredRoot,
        FilteredUser,
        FilteredPerfMon,
        FilteredAdmin,
        FilteredBoth,
        Rootless,
        FilteredRootless,
        Unknown,
    }

    private static LinuxRights Rights(Holder who) => who switch
    {
        Holder.User => new(false, 0, false, false),
        Holder.Root => new(true, All, false, false),
        Holder.UserWithPerfMon => new(false, Bit(PERFMON), false, false),
        Holder.ContainerRoot => new(true, Docker, false, false),
        Holder.FilteredRoot => new(true, Docker, false, true),
        Holder.FilteredUser => new(false, 0, false, true),
        Holder.FilteredPerfMon => new(true, Docker | Bit(PERFMON), false, true),
        Holder.FilteredAdmin => new(true, Docker | Bit(SYS_ADMIN), false, true),
        Holder.FilteredBoth => new(true, All, false, true),
        Holder.Rootless => new(true, All, true, false),
        Holder.FilteredRootless => new(true, Docker, true, true),
        _ => default,
    };

    private static ulong Bit(LinuxCapability capability) => 1UL << (int)capability;

    [Theory]
    [InlineData("Uid:\t1000\t1000\t1000\t1000\nCapEff:\t0000000000000000\nSeccomp:\t0\n", Map, false, 0UL, false, false)]
    [InlineData("Name:\tx\nUid:\t1000\t0\t1000\t1000\nCapEff:\t000001ffffffffff\nSeccomp:\t1\n", Map, true, 0x1ffffffffffUL, false, false)]
    [InlineData("Uid:\t0\t0\t0\t0\nCapEff:\t00000000a80425fb\nSeccomp:\t2\nSeccomp_filters:\t1\n", Map, true, Docker, false, true)]
    [InlineData("Uid:\t0\t0\t0\t0\nCapEff:\t0\n", "0 1000 1\n1 100000 65536\n", true, 0UL, true, false)]
    [InlineData("Uid:\t0\t1\nCapEff:\tx\n", "0 100000 4294967295\n", false, 0UL, true, false)]
    [InlineData("", "", false, 0UL, false, false)]
    [InlineData("Uid:\nCapEff:\nSeccomp:", "\n", false, 0UL, false, false)]
    public void The_rights_are_read_from_proc(string status, string map, bool isRoot, ulong capabilities, bool isInUserNamespace, bool isFiltered) =>
        LinuxRights.Parse(status, map).Should().Be(new LinuxRights(isRoot, capabilities, isInUserNamespace, isFiltered));

    [Theory]
    [InlineData(Holder.User, "run as root or with CAP_SYS_NICE")]
    [InlineData(Holder.Unknown, "run as root or with CAP_SYS_NICE")]
    [InlineData(Holder.FilteredUser, "run as root or with CAP_SYS_NICE (in a container, as root with --cap-add SYS_NICE)")]
    [InlineData(Holder.ContainerRoot, "root has no CAP_SYS_NICE here; add it to the container (--cap-add SYS_NICE)")]
    [InlineData(Holder.Rootless, "CAP_SYS_NICE has no effect in a user namespace (a rootless container); run as root outside of it")]
    [InlineData(Holder.Root, "this process has CAP_SYS_NICE, so a security module (SELinux, AppArmor) probably refuses the call; allow it")]
    [InlineData(Holder.FilteredBoth, "this process has CAP_SYS_NICE, so a seccomp filter probably refuses the call; allow it")]
    public void A_missing_capability_has_a_remedy_that_applies(Holder who, string remedy) => Rights(who).Remedy(SYS_NICE).Should().Be(remedy);

    // The columns: who, the error, whether kernel code is counted, the setting, the cause, what the remedy contains, and what it must not contain.
    [Theory]
    [InlineData(Holder.User, Errno.EACCES, true, 2, "may not count events in the kernel", "(now 2) to 1 or less (sysctl kernel.perf_event_paranoid=1), or grant CAP_PERFMON", "container")]
    [InlineData(Holder.User, Errno.EACCES, false, 4, "denies all counters", "(sysctl kernel.perf_event_paranoid=2), or grant CAP_SYS_ADMIN", "container")]
    [InlineData(Holder.UserWithPerfMon, Errno.EACCES, true, 2, "a security module", "although this process has the capability", "paranoid")]
    [InlineData(Holder.Root, Errno.EACCES, true, 4, "a security module", "although this process has the capability", "paranoid")]
    [InlineData(Holder.Root, Errno.EPERM, true, 2, "a security module or the kernel's lockdown", "does not permit", "paranoid")]
    [InlineData(Holder.ContainerRoot, Errno.EACCES, true, 2, "may not count", "outside of the container, or add CAP_PERFMON to the container (--cap-add PERFMON)", "grant")]
    [InlineData(Holder.ContainerRoot, Errno.EACCES, false, 3, "denies all counters", "(--cap-add SYS_ADMIN)", "grant")]
    [InlineData(Holder.Rootless, Errno.EACCES, true, 2, "may not count", "outside of the container (capabilities have no effect in a user namespace", "--cap-add")]
    [InlineData(Holder.FilteredRoot, Errno.EPERM, false, 2, "a seccomp filter refuses", "--cap-add PERFMON (Docker 23) or --cap-add PERFMON --cap-add SYS_ADMIN (Podman)", "paranoid")]
    [InlineData(Holder.FilteredUser, Errno.EPERM, false, 2, "a seccomp filter refuses", "--security-opt seccomp=", "paranoid")]
    [InlineData(Holder.FilteredRoot, Errno.ENOSYS, false, 2, "a seccomp filter refuses", "--security-opt seccomp=", "CONFIG_PERF_EVENTS")]
    [InlineData(Holder.FilteredPerfMon, Errno.EPERM, false, 2, "a seccomp filter refuses", ", or add --cap-add SYS_ADMIN, because some versions of Podman require both", "paranoid")]
    [InlineData(Holder.FilteredAdmin, Errno.ENOSYS, false, 2, "a seccomp filter refuses", ", or add --cap-add PERFMON, because", "paranoid")]
    [InlineData(Holder.FilteredRootless, Errno.EPERM, false, 2, "a seccomp filter refuses", "--security-opt seccomp=", "paranoid")]
    [InlineData(Holder.User, Errno.ENOSYS, false, 2, "CONFIG_PERF_EVENTS", "sandbox", "seccomp")]
    [InlineData(Holder.User, Errno.EPERM, true, 2, "the kernel does not permit", "(sysctl kernel.perf_event_paranoid=-1), or grant CAP_PERFMON", "seccomp")]
    public void A_refused_counter_has_the_cause_and_the_remedy_that_apply(
        Holder who, int error, bool countsKernel, int paranoid, string cause, string remedy, string notRemedy)
    {
        var request = new PerfEventRequest("cycles", new(PerfTypeId.Hardware, 0), countsKernel, IsPinned: false, ThreadId: 0, Cpu: -1);

        string reason = PerfEventReasons.Describe(request, error, new PerfMachine(HasPmu: true, paranoid, Rights(who))).Message;

        reason.Should().StartWith("cycles: ").And.Contain(cause).And.Contain(remedy).And.NotContain(notRemedy);
    }

    [Theory]
    [InlineData(Holder.User, "run `mount -t tracefs tracefs /sys/kernel/tracing` as root", "Run as root.")]
    [InlineData(Holder.Root, "run `mount -t tracefs tracefs /sys/kernel/tracing` as root", "Mount it writable into the container*")]
    [InlineData(Holder.ContainerRoot, "mount it into the container*", "Mount it writable into the container*")]
    [InlineData(Holder.Rootless, "mount it into the container*", "Run as root outside of the user namespace*")]
    public void Tracefs_has_a_remedy_that_applies(Holder who, string mount, string write)
    {
        Rights(who).MountTracing.Should().Match(mount);
        Rights(who).WriteTracing.Should().Match(write);
    }

    [FactNeeding(Need.Linux)]
    public void A_process_that_exists_is_hidden_and_one_that_does_not_exist_is_not()
    {
        MeasurementUnavailableException hidden = LinuxReasons.NotFound(Environment.ProcessId);
        hidden.Message.Should().StartWith($"Process {Environment.ProcessId} exists, but /proc hides it");
        (hidden.Cause, hidden.ErrorNumber).Should().Be((MeasurementUnavailableCause.PermissionDenied, Errno.EACCES));
        LinuxReasons.NotFound(1).Message.Should().StartWith("Process 1 exists", "kill(2) returns 0 or EPERM");
        MeasurementUnavailableException missing = LinuxReasons.NotFound(int.MaxValue);
        missing.Message.Should().Be($"There is no process {int.MaxValue}; it may have exited.");
        (missing.Cause, missing.ErrorNumber).Should().Be((MeasurementUnavailableCause.TargetNotFound, Errno.ESRCH));
    }
}
