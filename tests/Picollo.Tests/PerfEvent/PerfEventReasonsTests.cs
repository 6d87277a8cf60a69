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
    [InlineData(1, "EPERM", "kernel.perf_event_paranoid", MeasurementUnavailableCause.PerfEventParanoid)]
    [InlineData(2, "ENOENT", "perf list", MeasurementUnavailableCause.NotSupported)]
    [InlineData(3, "ESRCH", "no thread", MeasurementUnavailableCause.TargetNotFound)]
    [InlineData(7, "E2BIG", "too old", MeasurementUnavailableCause.NotSupported)]
    [InlineData(12, "ENOMEM", "memory", MeasurementUnavailableCause.LimitReached)]
    [InlineData(13, "EACCES", "kernel.perf_event_paranoid", MeasurementUnavailableCause.PerfEventParanoid)]
    [InlineData(16, "EBUSY", "nmi_watchdog", MeasurementUnavailableCause.LimitReached)]
    [InlineData(22, "EINVAL", "type and config", MeasurementUnavailableCause.NotSupported)]
    [InlineData(23, "ENFILE", "fs.file-max", MeasurementUnavailableCause.LimitReached)]
    [InlineData(24, "EMFILE", "ulimit -n", MeasurementUnavailableCause.LimitReached)]
    [InlineData(38, "ENOSYS", "CONFIG_PERF_EVENTS", MeasurementUnavailableCause.NotSupported)]
    [InlineData(95, "EOPNOTSUPP", "64-bit", MeasurementUnavailableCause.NotSupported)]
    [InlineData(999, "errno 999", "unknown reason", MeasurementUnavailableCause.Unknown)]
    public void Each_error_has_the_counter_its_text_and_its_cause(int error, string name, string text, MeasurementUnavailableCause cause)
    {
        MeasurementUnavailableException failure = PerfEventReasons.Describe(Request with { CountsKernel = true }, error, Real);

        failure.Message.Should().StartWith("Hardware:Instructions: ").And.Contain(text).And.EndWith($"(perf_event_open: {name})");
        (failure.Cause, failure.ErrorNumber).Should().Be((cause, error));
    }

    [Fact]
    public void A_missing_PMU_is_reported_only_for_hardware_events()
    {
        Describe(Request, Errno.ENOENT, Virtual).Should().Contain("this machine exposes no PMU");
        Describe(Request with { Definition = new(PerfTypeId.Software, 0) }, Errno.ENOENT, Virtual).Should().NotContain("exposes no PMU");
        Describe(Request, Errno.ENOENT, Real).Should().NotContain("exposes no PMU");
    }

    [Fact]
    public void Too_many_pinned_counters_are_distinguished_from_a_wrong_event()
    {
        Describe(Request with { IsPinned = true }, Errno.EINVAL, Real).Should().Contain("more pinned counters than the CPU has");
        Describe(Request, Errno.EINVAL, Real).Should().NotContain("pinned");
    }

    [Fact]
    public void Events_of_a_PMU_outside_the_cores_have_their_own_remedies()
    {
        PerfEventRequest outside = Request with { Name = "power/energy-pkg/", Definition = new((PerfTypeId)6, 0) };
        Describe(outside, Errno.EINVAL, Virtual).Should().Contain("cannot exclude the kernel").And.Contain("whole CPUs");
        Describe(outside with { CountsKernel = true }, Errno.EINVAL, Virtual).Should().Contain("whole CPUs");
        Describe(outside with { ThreadId = -1, Cpu = 0 }, Errno.EINVAL, Virtual).Should().Contain("cannot exclude the kernel");
        Describe(outside with { CountsKernel = true, ThreadId = -1, Cpu = 700 }, Errno.EINVAL, Virtual)
            .Should().Contain("CPU 700 does not exist").And.NotContain("WithKernel");
        Describe(outside with { IsPinned = true }, Errno.EINVAL, Real).Should().Contain("more pinned counters");
        Describe(outside, Errno.ENOENT, Virtual).Should().Contain("check its type").And.NotContain("exposes no PMU");
    }

    [Fact]
    public void The_remedy_for_missing_permissions_is_sufficient()
    {
        Describe(Request with { CountsKernel = true }, Errno.EACCES, Real).Should().Contain("count user code only");
        string software = Describe(Request with { CountsKernel = true, Definition = new(PerfTypeId.Tracepoint, 0) }, Errno.EACCES, Real);
        software.Should().NotContain("count user code only", "it would count nothing");

        string cpu = Describe(Request with { ThreadId = -1, Cpu = 0 }, Errno.EACCES, Real);
        cpu.Should().Contain("to 0 or less").And.Contain("everything on a CPU");

        string otherUser = Describe(Request with { ThreadId = 1 }, Errno.EACCES, Real);
        otherUser.Should().Contain("another user's thread").And.NotContain("paranoid");
        Describe(Request with { ThreadId = 1 }, Errno.EACCES, Real with { Paranoid = 3 })
            .Should().Contain("is 3", "the kernel checks that first");

        Describe(Request with { Cpu = 7, ThreadId = -1 }, Errno.ENODEV, Real).Should().Contain("CPU 7 is offline or does not exist");
        Describe(Request with { Cpu = 700 }, Errno.EINVAL, Real).Should().Contain("CPU 700 does not exist");
        Describe(Request with { ThreadId = 4711 }, Errno.ESRCH, Real).Should().Contain("no thread 4711");
    }

    [Fact]
    public void The_cause_depends_on_the_request_and_the_rights()
    {
        CauseOf(Request with { ThreadId = 1 }, Errno.EACCES, Real).Should().Be(MeasurementUnavailableCause.PermissionDenied, "it is another user's thread");
        CauseOf(Request with { Cpu = 7 }, Errno.ENODEV, Real).Should().Be(MeasurementUnavailableCause.TargetNotFound);
        CauseOf(Request with { Cpu = 7 }, Errno.EINVAL, Real).Should().Be(MeasurementUnavailableCause.Unknown, "the CPU or the event does not exist");
        CauseOf(Request, Errno.ENOSPC, Real).Should().Be(MeasurementUnavailableCause.LimitReached);
        CauseOf(Request, Errno.ENODEV, Real).Should().Be(MeasurementUnavailableCause.NotSupported);
        CauseOf(Request with { IsPinned = true }, Errno.EINVAL, Real).Should().Be(MeasurementUnavailableCause.Unknown, "there are several possible causes");

        PerfMachine filtered = Real with { Rights = new(IsRoot: true, ulong.MaxValue, IsInUserNamespace: false, IsFiltered: true) };
        CauseOf(Request, Errno.EPERM, filtered).Should().Be(MeasurementUnavailableCause.SeccompFilter);
        CauseOf(Request, Errno.ENOSYS, filtered).Should().Be(MeasurementUnavailableCause.SeccompFilter);
        CauseOf(Request, Errno.EACCES, filtered).Should().Be(MeasurementUnavailableCause.SeccompFilter);
        CauseOf(Request, Errno.EPERM, Real with { Rights = filtered.Rights with { IsFiltered = false } }).Should().Be(MeasurementUnavailableCause.PermissionDenied);
    }

    private static string Describe(PerfEventRequest request, int error, PerfMachine machine) => PerfEventReasons.Describe(request, error, machine).Message;

    private static MeasurementUnavailableCause CauseOf(PerfEventRequest request, int error, PerfMachine machine) =>
        PerfEventReasons.Describe(request, error, machine).Cause;

    [Fact]
    public void Counters_with_the_same_reason_share_one_text()
    {
        UnavailableCounterText.Describe(
        [
            Unavailable("Hardware:Instructions", "Hardware:Instructions: kernel.perf_event_paranoid is 3."),
            Unavailable("Software:PageFaults", "no such thing"),
            Unavailable("Hardware:CpuCycles", "Hardware:CpuCycles: kernel.perf_event_paranoid is 3."),
        ]).Should().Equal(
            "Hardware:Instructions, Hardware:CpuCycles: kernel.perf_event_paranoid is 3.",
            "Software:PageFaults: no such thing");
        UnavailableCounterText.Describe([]).Should().BeEmpty();
    }

    private static KeyValuePair<string, MeasurementUnavailableException> Unavailable(string name, string reason) =>
        new(name, new MeasurementUnavailableException(reason, MeasurementUnavailableCause.Unknown));
}
