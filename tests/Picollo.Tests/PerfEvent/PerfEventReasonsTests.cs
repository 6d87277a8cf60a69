using Picollo.Interop.Linux;
using Picollo.PerfEvent;

namespace Picollo.Tests.PerfEvent;

public sealed class PerfEventReasonsTests
{
    private static readonly PerfMachine Virtual = new(HasPmu: false, Paranoid: 2);
    private static readonly PerfMachine Real = new(HasPmu: true, Paranoid: 2);

    private static readonly PerfEventRequest Request =
        new("Hardware:Instructions", new(PerfTypeId.Hardware, 1), CountsKernel: false, IsPinned: false, ThreadId: 0, Cpu: -1);

    [Theory]
    [InlineData(1, "EPERM", "kernel.perf_event_paranoid")]
    [InlineData(2, "ENOENT", "perf list")]
    [InlineData(3, "ESRCH", "no thread")]
    [InlineData(7, "E2BIG", "too old")]
    [InlineData(12, "ENOMEM", "memory")]
    [InlineData(13, "EACCES", "kernel.perf_event_paranoid")]
    [InlineData(16, "EBUSY", "nmi_watchdog")]
    [InlineData(19, "ENODEV", "CPU")]
    [InlineData(22, "EINVAL", "type and config")]
    [InlineData(23, "ENFILE", "fs.file-max")]
    [InlineData(24, "EMFILE", "ulimit -n")]
    [InlineData(38, "ENOSYS", "CONFIG_PERF_EVENTS")]
    [InlineData(95, "EOPNOTSUPP", "64-bit")]
    [InlineData(999, "errno 999", "unknown reason")]
    public void Each_message_has_the_counter_the_cause_and_the_error(int error, string name, string cause) =>
        PerfEventReasons.Describe(Request, error, Real).Should()
            .StartWith("Hardware:Instructions: ").And.Contain(cause).And.EndWith($"(perf_event_open: {name})");

    [Fact]
    public void A_missing_PMU_is_reported_only_for_hardware_events()
    {
        PerfEventReasons.Describe(Request, Errno.ENOENT, Virtual).Should().Contain("this machine exposes no PMU");
        PerfEventReasons.Describe(Request with { Definition = new(PerfTypeId.Software, 0) }, Errno.ENOENT, Virtual).Should().NotContain("exposes no PMU");
        PerfEventReasons.Describe(Request, Errno.ENOENT, Real).Should().NotContain("exposes no PMU");
    }

    [Fact]
    public void Too_many_pinned_counters_are_distinguished_from_a_wrong_event()
    {
        PerfEventReasons.Describe(Request with { IsPinned = true }, Errno.EINVAL, Real).Should().Contain("more pinned counters than the CPU has");
        PerfEventReasons.Describe(Request, Errno.EINVAL, Real).Should().NotContain("pinned");
    }

    [Fact]
    public void Events_of_a_PMU_outside_the_cores_have_their_own_remedies()
    {
        PerfEventRequest outside = Request with { Name = "power/energy-pkg/", Definition = new((PerfTypeId)6, 0) };
        PerfEventReasons.Describe(outside, Errno.EINVAL, Virtual).Should().Contain("cannot exclude the kernel").And.Contain("whole CPUs");
        PerfEventReasons.Describe(outside with { CountsKernel = true }, Errno.EINVAL, Virtual).Should().Contain("whole CPUs");
        PerfEventReasons.Describe(outside with { ThreadId = -1, Cpu = 0 }, Errno.EINVAL, Virtual).Should().Contain("cannot exclude the kernel");
        PerfEventReasons.Describe(outside with { CountsKernel = true, ThreadId = -1, Cpu = 700 }, Errno.EINVAL, Virtual)
            .Should().Contain("CPU 700 does not exist").And.NotContain("WithKernel");
        PerfEventReasons.Describe(outside with { IsPinned = true }, Errno.EINVAL, Real).Should().Contain("more pinned counters");
        PerfEventReasons.Describe(outside, Errno.ENOENT, Virtual).Should().Contain("check its type").And.NotContain("exposes no PMU");
    }

    [Fact]
    public void The_remedy_for_missing_permissions_is_sufficient()
    {
        string kernel = PerfEventReasons.Describe(Request with { CountsKernel = true }, Errno.EACCES, Real);
        kernel.Should().Contain("(now 2) to 1 or less").And.Contain("count user code only").And.Contain("CAP_PERFMON");

        string software = PerfEventReasons.Describe(Request with { CountsKernel = true, Definition = new(PerfTypeId.Tracepoint, 0) }, Errno.EACCES, Real);
        software.Should().NotContain("count user code only", "it would count nothing");

        string cpu = PerfEventReasons.Describe(Request with { ThreadId = -1, Cpu = 0 }, Errno.EACCES, Real);
        cpu.Should().Contain("to 0 or less").And.Contain("everything on a CPU");

        string otherUser = PerfEventReasons.Describe(Request with { ThreadId = 1 }, Errno.EACCES, Real);
        otherUser.Should().Contain("another user's thread").And.NotContain("paranoid");

        string nothing = PerfEventReasons.Describe(Request, Errno.EACCES, new PerfMachine(HasPmu: true, Paranoid: 3));
        nothing.Should().Contain("is 3").And.Contain("set it to 2 or less").And.Contain("grant CAP_SYS_ADMIN");

        string otherUserAtLevel3 = PerfEventReasons.Describe(Request with { ThreadId = 1 }, Errno.EACCES, new PerfMachine(HasPmu: true, Paranoid: 3));
        otherUserAtLevel3.Should().Contain("is 3", "the kernel checks that first");

        PerfEventReasons.Describe(Request with { Cpu = 7, ThreadId = -1 }, Errno.ENODEV, Real).Should().Contain("CPU 7 is offline or does not exist");
        PerfEventReasons.Describe(Request with { Cpu = 700 }, Errno.EINVAL, Real).Should().Contain("CPU 700 does not exist");
        PerfEventReasons.Describe(Request with { ThreadId = 4711 }, Errno.ESRCH, Real).Should().Contain("no thread 4711");
    }
}
