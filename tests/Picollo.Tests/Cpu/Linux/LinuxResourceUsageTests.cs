using Picollo.Cpu;
using Picollo.Cpu.Linux;
using Picollo.Interop.Linux;

namespace Picollo.Tests.Cpu.Linux;

/// <summary>Compares the usage with known work. HeaderTests has the units and the places of all values.</summary>
[Collection(Alone.Name)]
public sealed class LinuxResourceUsageTests
{
    private const int PageCount = 4_000;

    // Allows for events of the runtime in the meantime, such as the compilation of a method or a collection that stops the thread.
    private const int Aside = PageCount / 10;

    [FactNeeding(Need.Linux)]
    public void Page_faults_count_for_their_thread_and_for_the_process()
    {
        ResourceUsage process = ResourceUsage.GetByProcess(), thread = ResourceUsage.GetByThread();
        FreshPages.Touch(PageCount);
        (ResourceUsage.GetByThread() - thread).MinorPageFaults.Should().BeInRange(PageCount, PageCount + Aside);

        thread = ResourceUsage.GetByThread();
        NewThread.Run(() => FreshPages.Touch(PageCount));
        (ResourceUsage.GetByThread() - thread).MinorPageFaults.Should().BeInRange(0, Aside);
        (ResourceUsage.GetByProcess() - process).MinorPageFaults
            .Should().BeGreaterThanOrEqualTo(2 * PageCount, "a thread that has ended still counts");
    }

    [FactNeeding(Need.Linux)]
    public void A_reading_allocates_nothing()
    {
        Allocations.InSteadyState(() => ResourceUsage.TryGetByThread(out _, out _)).Should().Be(0);
        Allocations.InSteadyState(() => ResourceUsage.TryGetByProcess(out _, out _)).Should().Be(0);
        Allocations.InSteadyState(() => ResourceUsage.TryGetByChildren(out _, out _)).Should().Be(0);
    }

    [FactNeeding(Need.Linux)]
    public void Refused_calls_return_false_and_zero()
    {
        LinuxResourceUsage.TryRead(who: 99, out LibC.Rusage usage).Should().BeFalse();
        LinuxResourceUsage.ToUsage(usage).Should().Be(default(ResourceUsage));
    }

    [Theory]
    [InlineData((int)ResourceOwner.Thread, "CLOCK_THREAD_CPUTIME_ID", "RUSAGE_THREAD")]
    [InlineData((int)ResourceOwner.Process, "RUSAGE_SELF")]
    [InlineData((int)ResourceOwner.Children, "RUSAGE_CHILDREN")]
    public void A_reason_names_the_calls_to_allow(int owner, params string[] calls)
    {
        MeasurementUnavailableException refused = LinuxResourceUsage.Refused((ResourceOwner)owner, Errno.EPERM);
        refused.Message.Should().ContainAll([.. calls, "Allow"]);
        (refused.Cause, refused.ErrorNumber).Should().Be((MeasurementUnavailableCause.SeccompFilter, Errno.EPERM));
    }
}
