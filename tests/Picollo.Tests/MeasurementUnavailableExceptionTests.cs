using Picollo.Cpu;
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

    private static MeasurementUnavailableException Thrown(Action action) => action.Should().Throw<MeasurementUnavailableException>().Which;

    private static MeasurementUnavailableException Thrown<T>(Func<T> function) => Thrown(() => { function(); });
}
