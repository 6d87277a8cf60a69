using System.Globalization;
using Picollo.Cpu.Linux;
using Picollo.Diagnostics.Jitter.Linux;

namespace Picollo.Diagnostics.Tests.Linux;

public sealed class CpuChoiceTests
{
    [Fact]
    public void Without_a_list_all_allowed_CPUs_are_selected() => Choose(null, [0, 2, 5]).Should().Equal(0, 2, 5);

    [Fact]
    public void A_list_is_sorted_and_duplicates_are_removed() => Choose([5, 0, 5, 2], [0, 1, 2, 5]).Should().Equal(0, 2, 5);

    [Fact]
    public void A_CPU_that_does_not_exist_is_rejected() => Problem([0, 64], [0, 1]).Should().Be("CPU 64 does not exist. This process may run on CPUs 0-1.");

    [Fact]
    public void An_offline_CPU_is_rejected() => Problem([3], [0, 1, 2]).Should()
        .Be("CPU 3 is offline: run `echo 1 > /sys/devices/system/cpu/cpu3/online` as root. This process may run on CPUs 0-2.");

    [Fact]
    public void An_online_CPU_outside_of_the_affinity_is_selected() => Choose([6, 4], [6]).Should().Equal(4, 6);

    [Fact]
    public void Without_sys_every_CPU_is_selected()
    {
        CpuChoice.TryChoose([9], [0], null, null, out int[] cpus, out _).Should().BeTrue();
        cpus.Should().Equal(9);
    }

    [Theory]
    [InlineData("0", "0-3,8\n", true)]
    [InlineData("3", "0-3,8\n", true)]
    [InlineData("4", "0-3,8\n", false)]
    [InlineData("8", "0-3,8\n", true)]
    [InlineData("0", "", false)]
    [InlineData("0", "x-y", false)]
    public void CPU_lists_of_the_kernel_are_parsed(string cpu, string list, bool isContained) =>
        CpuChoice.Contains(list, int.Parse(cpu, CultureInfo.InvariantCulture)).Should().Be(isContained);

    [Fact]
    public void Lists_are_written_in_the_format_of_the_kernel()
    {
        CpuMask.Format([]).Should().Be("");
        CpuMask.Format([7]).Should().Be("7");
        CpuMask.Format([0, 1, 2, 4, 6, 7]).Should().Be("0-2,4,6-7");
    }

    [Fact]
    public void CPU_masks_are_decoded() => CpuMask.Cpus([1UL | (1UL << 63), 2]).Should().Equal(0, 63, 65);

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
