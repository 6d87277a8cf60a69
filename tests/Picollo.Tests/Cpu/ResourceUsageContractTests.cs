using Picollo.Cpu;

namespace Picollo.Tests.Cpu;

/// <summary>
/// The contract of <see cref="ResourceUsage"/> on this system: its CPU time equals that of the reader and nothing decreases, or there is a
/// reason and an alternative. tests/HelperApp runs the same tests under Wine.
/// </summary>
[Collection(nameof(ReaderContractTests))]
public class ResourceUsageContractTests
{
    private delegate bool TryGet(out ResourceUsage usage, out MeasurementUnavailableException? failure);

    [Fact]
    public void The_thread_is_read_if_the_system_counts_per_thread() =>
        ShouldHonorContract(OperatingSystem.IsLinux(), ResourceUsage.TryGetByThread, ResourceUsage.GetByThread, CpuUsageReader.GetByThread);

    [Fact]
    public void The_process_is_read_except_on_Windows() =>
        ShouldHonorContract(!OperatingSystem.IsWindows(), ResourceUsage.TryGetByProcess, ResourceUsage.GetByProcess, CpuUsageReader.GetByProcess);

    [Fact]
    public void The_children_are_read_except_on_Windows() =>
        ShouldHonorContract(!OperatingSystem.IsWindows(), ResourceUsage.TryGetByChildren, ResourceUsage.GetByChildren, CpuUsageReader.GetByChildren);

    private static void ShouldHonorContract(bool isKnown, TryGet tryGet, Func<ResourceUsage> get, Func<CpuUsage> getCpu)
    {
        if (!isKnown)
        {
            tryGet(out ResourceUsage none, out MeasurementUnavailableException? failure).Should().BeFalse();
            none.Should().Be(default(ResourceUsage));
            failure!.Message.Should().ContainAll(OperatingSystem.IsWindows() ? "Windows" : "macOS", "CpuUsageReader.GetByThread()");
            new Action(() => get()).Should().Throw<MeasurementUnavailableException>().WithMessage(failure.Message);
            return;
        }

        tryGet(out ResourceUsage last, out MeasurementUnavailableException? problem).Should().BeTrue();
        problem.Should().BeNull();
        for (int i = 0; i < 1_000; i++)
        {
            CpuUsage before = getCpu();
            ResourceUsage now = get();
            CpuUsage after = getCpu();
            now.Cpu.UserNanoseconds.Should().BeInRange(before.UserNanoseconds, after.UserNanoseconds);
            now.Cpu.KernelNanoseconds.Should().BeInRange(before.KernelNanoseconds, after.KernelNanoseconds);

            ResourceUsage taken = now - last;
            new[]
            {
                taken.MaxResidentBytes - last.MaxResidentBytes, taken.MinorPageFaults, taken.MajorPageFaults,
                taken.BlockInputOperations, taken.BlockOutputOperations,
                taken.VoluntaryContextSwitches + taken.InvoluntaryContextSwitches,
            }.Should().OnlyContain(count => count >= 0);
            last = now;
        }
    }
}
