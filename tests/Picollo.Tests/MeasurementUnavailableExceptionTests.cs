using System.Reflection;
using System.Runtime.InteropServices;
using Picollo.Cpu;
using Picollo.Cpu.Linux;
using Picollo.Interop.Linux;
using Picollo.PerfEvent;

namespace Picollo.Tests;

/// <summary>The causes that occur on this machine. PerfFaultTests has those of a user without privileges, of a seccomp filter and of too few
/// descriptors, and PerfEventReasonsTests those of each error.</summary>
public class MeasurementUnavailableExceptionTests
{
    [Fact]
    public void The_inner_exception_is_kept()
    {
        IOException inner = new("no such file");

        MeasurementUnavailableException exception =
            new("The load average is unavailable: no such file.", MeasurementUnavailableCause.NotSupported, errorNumber: 2, inner);

        exception.Message.Should().Be("The load average is unavailable: no such file.");
        exception.InnerException.Should().BeSameAs(inner);
        (exception.Cause, exception.ErrorNumber).Should().Be((MeasurementUnavailableCause.NotSupported, 2));
    }

    /// <summary>No exception without a cause can be thrown: each constructor requires one.</summary>
    [Fact]
    public void Each_constructor_requires_a_cause() =>
        typeof(MeasurementUnavailableException).GetConstructors(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic)
            .Should().NotBeEmpty().And.OnlyContain(constructor => constructor.GetParameters()
                .Any(parameter => parameter.ParameterType == typeof(MeasurementUnavailableCause) && !parameter.IsOptional));

    /// <summary>A handler of NotSupportedException gives up for good, but a process that has exited or a limit is temporary.</summary>
    [Fact]
    public void It_is_not_a_NotSupportedException() => typeof(MeasurementUnavailableException).BaseType.Should().Be<Exception>();

    [Fact]
    public void Unknown_is_the_default_cause() => default(MeasurementUnavailableCause).Should().Be(MeasurementUnavailableCause.Unknown);

    [FactNeeding(Need.Linux)]
    public void A_missing_process_or_thread_is_a_missing_target()
    {
        Thrown(() => CpuUsageReader.GetByProcess(int.MaxValue)).Cause.Should().Be(MeasurementUnavailableCause.TargetNotFound);
        Thrown(() => CpuUsageReader.GetProcessTimeNanoseconds(int.MaxValue)).Cause.Should().Be(MeasurementUnavailableCause.TargetNotFound);
        Thrown(() => CpuUsageReader.GetByThread(int.MaxValue)).Cause.Should().Be(MeasurementUnavailableCause.TargetNotFound);

        // The ID is below the kernel's limit, so the kernel refuses it, and clock_gettime(2) returns EINVAL.
        const int MissingId = (1 << 22) - 1;
        MeasurementUnavailableException missing = Thrown(() => CpuUsageReader.GetThreadTimeNanoseconds(MissingId));
        (missing.Cause, missing.ErrorNumber).Should().Be((MeasurementUnavailableCause.TargetNotFound, Errno.EINVAL));
    }

    [FactNeeding(Need.Linux)]
    public void A_Try_method_returns_the_exception_that_its_counterpart_throws()
    {
        CpuUsageReader.TryGetByProcess(int.MaxValue, out _, out MeasurementUnavailableException? process).Should().BeFalse();
        CpuUsageReader.TryGetThreadTimeNanoseconds(int.MaxValue, out _, out MeasurementUnavailableException? thread).Should().BeFalse();
        PerfEventCounterSession.Factory.WithNamedCounter("nopmu/event=1/").TryCreate(out _, out MeasurementUnavailableException? counter)
            .Should().BeFalse();

        Of(process!).Should().Be(Of(Thrown(() => CpuUsageReader.GetByProcess(int.MaxValue))));
        Of(thread!).Should().Be(Of(Thrown(() => CpuUsageReader.GetThreadTimeNanoseconds(int.MaxValue))));
        Of(counter!).Should().Be(Of(Thrown(() => PerfEventCounterSession.Factory.WithNamedCounter("nopmu/event=1/").Create())));

        static (string, MeasurementUnavailableCause, int?) Of(MeasurementUnavailableException e) => (e.Message, e.Cause, e.ErrorNumber);
    }

    [FactNeeding(Need.PerfEvents)]
    public void A_missing_thread_event_or_PMU_has_its_cause()
    {
        PerfEventCounterSessionFactory faults = PerfEventCounterSession.Factory.WithSoftwareCounter(PerfSoftwareCounterId.PageFaults);
        MeasurementUnavailableException missing = Thrown(() => faults.WithThread(int.MaxValue).Create());
        (missing.Cause, missing.ErrorNumber).Should().Be((MeasurementUnavailableCause.TargetNotFound, Errno.ESRCH));
        Thrown(() => faults.WithProcess(int.MaxValue).Create()).Cause.Should().Be(MeasurementUnavailableCause.TargetNotFound);

        MeasurementUnavailableException noPmu = Thrown(() => faults.WithRawCounter(type: 4_000_000_000, config: 1, "no such PMU").Create());
        (noPmu.Cause, noPmu.ErrorNumber).Should().Be((MeasurementUnavailableCause.NotSupported, Errno.ENOENT));
        Thrown(() => faults.WithNamedCounter("nopmu/event=1/").Create()).Cause.Should().Be(MeasurementUnavailableCause.NotSupported);
    }

    [FactNeeding(Need.PerfEvents)]
    public void An_unavailable_counter_has_the_cause_and_the_error()
    {
        using PerfEventCounterSession session = PerfEventCounterSession.Factory
            .WithSoftwareCounter(PerfSoftwareCounterId.PageFaults)
            .WithRawCounter(type: 4_000_000_000, config: 1, "no such PMU")
            .WithNamedCounter("nopmu/event=1/")
            .WithOptional()
            .Create();
        session.UnavailableCounters.Select(counter => (counter.Key, counter.Value.Cause, counter.Value.ErrorNumber)).Should().Equal(
            new (string, MeasurementUnavailableCause, int?)[]
            {
                ("no such PMU", MeasurementUnavailableCause.NotSupported, Errno.ENOENT),
                ("nopmu/event=1/", MeasurementUnavailableCause.NotSupported, null),
            });
    }

    [Theory]
    [InlineData(Errno.EPERM, MeasurementUnavailableCause.PermissionDenied)]
    [InlineData(Errno.EACCES, MeasurementUnavailableCause.PermissionDenied)]
    [InlineData(Errno.ENOSYS, MeasurementUnavailableCause.NotSupported)]
    [InlineData(Errno.ESRCH, MeasurementUnavailableCause.TargetNotFound)]
    [InlineData(Errno.EMFILE, MeasurementUnavailableCause.LimitReached)]
    [InlineData(Errno.ENFILE, MeasurementUnavailableCause.LimitReached)]
    [InlineData(Errno.ENOMEM, MeasurementUnavailableCause.LimitReached)]
    [InlineData(Errno.ENOSPC, MeasurementUnavailableCause.LimitReached)]
    [InlineData(Errno.EAGAIN, MeasurementUnavailableCause.LimitReached)]
    [InlineData(Errno.EINVAL, MeasurementUnavailableCause.Unknown)]
    public void An_error_number_has_a_usual_cause(int error, MeasurementUnavailableCause cause) =>
        LinuxReasons.CauseOf(error).Should().Be(cause);

    [Theory]
    [InlineData(Errno.EACCES, MeasurementUnavailableCause.PermissionDenied, Errno.EACCES)]
    [InlineData(Errno.EMFILE, MeasurementUnavailableCause.LimitReached, Errno.EMFILE)]
    [InlineData(Errno.ENOENT, MeasurementUnavailableCause.NotSupported, Errno.ENOENT)]
    [InlineData(Errno.ESRCH, MeasurementUnavailableCause.NotSupported, Errno.ESRCH)]
    [InlineData(0, MeasurementUnavailableCause.NotSupported, null)]
    public void A_file_that_cannot_be_read_has_the_cause_of_the_error_or_of_the_file(
        int error, MeasurementUnavailableCause cause, int? errorNumber)
    {
        Marshal.SetLastPInvokeError(error);

        MeasurementUnavailableException failure = LinuxReasons.NotRead("no file", MeasurementUnavailableCause.NotSupported);

        (failure.Cause, failure.ErrorNumber).Should().Be((cause, errorNumber));
    }

    private static MeasurementUnavailableException Thrown(Action action) => action.Should().Throw<MeasurementUnavailableException>().Which;

    private static MeasurementUnavailableException Thrown<T>(Func<T> function) => Thrown(() => { function(); });
}
