using Picollo.Cpu.Linux;
using Picollo.Diagnostics.Jitter.Linux;

namespace Picollo.Diagnostics.Tests.Linux;

public sealed class CpuChoiceTests
{
    [Fact]
    public void Listed_CPUs_are_selected_sorted_and_without_duplicates_or_otherwise_all_allowed_ones()
    {
        Choose(null, [0, 2, 5]).Should().Equal(0, 2, 5);
        Choose([5, 0, 5, 2], [0, 1, 2, 5]).Should().Equal(0, 2, 5);
        Choose([6, 4], [6]).Should().Equal([4, 6], "a CPU outside of the affinity is online");
        CpuChoice.TryChoose([9], [0], null, null, out int[] cpus, out _).Should().BeTrue("/sys is missing");
        cpus.Should().Equal(9);
    }

    [Fact]
    public void A_CPU_that_does_not_exist_or_is_offline_is_rejected()
    {
        Problem([0, 64], [0, 1]).Should().Be("CPU 64 does not exist. This process may run on CPUs 0-1.");
        Problem([3], [0, 1, 2]).Should()
            .Be("CPU 3 is offline: run `echo 1 > /sys/devices/system/cpu/cpu3/online` as root. This process may run on CPUs 0-2.");
    }

    [Fact]
    public void Lists_and_masks_have_the_format_of_the_kernel()
    {
        foreach ((int cpu, string list, bool isContained) in new[]
            { (0, "0-3,8\n", true), (3, "0-3,8\n", true), (4, "0-3,8\n", false), (8, "0-3,8\n", true), (0, "", false), (0, "x-y", false) })
        {
            CpuChoice.Contains(list, cpu).Should().Be(isContained);
        }

        CpuMask.Format([]).Should().Be("");
        CpuMask.Format([7]).Should().Be("7");
        CpuMask.Format([0, 1, 2, 4, 6, 7]).Should().Be("0-2,4,6-7");
        CpuMask.Cpus([1UL | (1UL << 63), 2]).Should().Equal(0, 63, 65);
    }

    private static int[] Choose(int[]? requested, int[] allowed)
    {
        CpuChoice.TryChoose(requested, allowed, "0-2,4-7\n", "0-7\n", out int[] cpus, out string? reason).Should().BeTrue(reason);
        return cpus;
    }

    private static string Problem(int[] requested, int[] allowed)
    {
        CpuChoice.TryChoose(requested, allowed, "0-2,4-7\n", "0-7\n", out _, out string? reason).Should().BeFalse();
        return reason!;
    }
}
