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
