using System.Text;
using Picollo.Cpu;
using Picollo.Cpu.Linux;

namespace Picollo.Tests.Cpu.Linux;

/// <summary>The location of a process's cgroup, and the contents of its files.</summary>
public class CgroupTests
{
    private const string V2Mount = "30 23 0:26 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";

    // The mounts of systemd for version 1, with version 2 for its own use.
    private const string HybridMounts = """
        22 27 0:21 / /proc rw,relatime - proc proc rw
        31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
        32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 master:3 - cgroup cgroup rw,cpu,cpuacct
        34 31 0:31 / /sys/fs/cgroup/cpuset rw,relatime - cgroup cgroup rw,cpuset
        41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw

        """;

    private const string SplitMounts = """
        32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu
        33 31 0:30 / /sys/fs/cgroup/cpuacct rw,relatime - cgroup cgroup rw,cpuacct

        """;

    // The columns: the group of the process, the mounts, the version, the directories of the limit, and those of the usage (v1).
    [Theory]
    [InlineData("0::/system.slice/web.service\n", V2Mount, 2,
        "/sys/fs/cgroup/system.slice/web.service /sys/fs/cgroup/system.slice /sys/fs/cgroup")]
    [InlineData("0::/\n", V2Mount, 2, "/sys/fs/cgroup")] // in a cgroup namespace
    [InlineData("9:name=systemd:/x\n4:cpu,cpuacct:/docker/1\n3:cpuset:/docker/2\n0::/unified\n", HybridMounts, 1,
        "/sys/fs/cgroup/cpu,cpuacct/docker/1 /sys/fs/cgroup/cpu,cpuacct/docker /sys/fs/cgroup/cpu,cpuacct",
        "/sys/fs/cgroup/cpu,cpuacct/docker/1 /sys/fs/cgroup/cpu,cpuacct/docker /sys/fs/cgroup/cpu,cpuacct")]
    [InlineData("3:cpuset:/docker/2\n0::/a\n", HybridMounts, 2, "/sys/fs/cgroup/unified/a /sys/fs/cgroup/unified")]
    [InlineData("2:cpuacct:/a\n1:cpu:/a\n", SplitMounts, 1,
        "/sys/fs/cgroup/cpu/a /sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpuacct/a /sys/fs/cgroup/cpuacct")]
    [InlineData("2:cpuacct:/\n1:cpu:/a\n", SplitMounts, 1, "/sys/fs/cgroup/cpu/a /sys/fs/cgroup/cpu")] // the usage of another group
    [InlineData("4:cpu:/docker/123/sub\n", "32 31 0:29 /docker/123 /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu\n", 1,
        "/sys/fs/cgroup/cpu/sub /sys/fs/cgroup/cpu")] // a container sees only its own directory
    [InlineData("0::/a b:c\n", "30 23 0:26 / /my\\040cg\\134roup\\011x rw - cgroup2 none rw\n", 2, "/my cg\\roup\tx/a b:c /my cg\\roup\tx")]
    [InlineData("0::/a\n", "30 23 0:26 / /x\\08y\\04 rw - cgroup2 none rw\n", 2, "/x\\08y\\04/a /x\\08y\\04")] // not an escape
    [InlineData("0::/a\n", "30 23 0:26 / /\\303\\244 rw - cgroup2 none rw\n", 2, "/\u00C3\u00A4/a /\u00C3\u00A4")] // UTF-8
    [InlineData("0::/b/c\n", "30 23 0:26 /a /first rw - cgroup2 none rw\n31 23 0:26 /b /second rw - cgroup2 none rw\n", 2,
        "/second/c /second")]
    public void The_directories_of_a_group_and_its_ancestors_are_found(
        string selfCgroup, string mounts, int version, string cpu, string accounting = "")
    {
        CgroupLocation.TryFind(Encoding.UTF8.GetBytes(selfCgroup), Encoding.UTF8.GetBytes(mounts), out CgroupLocation? location, out string? reason)
            .Should().BeTrue();

        reason.Should().BeNull();
        location!.Version.Should().Be(version);
        string.Join(' ', location.CpuDirectories).Should().Be(cpu);
        string.Join(' ', location.AccountingDirectories).Should().Be(accounting);
    }

    [Theory]
    [InlineData("", V2Mount, LinuxReasons.NotInCgroup)]
    [InlineData("0::/a\n", "", LinuxReasons.CgroupNotMounted)]
    [InlineData("0::/a\n", "30 23 0:26 / relative rw - cgroup2 none rw\n", LinuxReasons.CgroupNotMounted)]
    [InlineData("0::/a\n", "30 23 0:26 / /sys/fs/cgroup rw - tmpfs none rw\n30 cgroup2 - - -\n- - - - - - -\n", LinuxReasons.CgroupNotMounted)]
    [InlineData("1:cpu:/a\n0::/a\n", V2Mount, LinuxReasons.CgroupNotMounted)]
    [InlineData("0::/../other\n", V2Mount, LinuxReasons.CgroupOutside)]
    [InlineData("0::/\n", "30 23 0:26 /../.. /sys/fs/cgroup rw - cgroup2 none rw\n", LinuxReasons.CgroupOutside)]
    [InlineData("0::/ab\n", "30 23 0:26 /a /sys/fs/cgroup rw - cgroup2 none rw\n", LinuxReasons.CgroupOutside)]
    public void A_group_that_cannot_be_found_has_a_reason(string selfCgroup, string mounts, string expected)
    {
        CgroupLocation.TryFind(Encoding.UTF8.GetBytes(selfCgroup), Encoding.UTF8.GetBytes(mounts), out CgroupLocation? location, out string? reason)
            .Should().BeFalse();

        location.Should().BeNull();
        reason.Should().Be(expected);
    }

    [Theory]
    [InlineData("50000 100000\n", 0.5)]
    [InlineData("400000 100000\n", 4.0)]
    [InlineData("max 100000\n", null)]
    [InlineData("50000 0\n", null)]
    [InlineData("-1 100000\n", null)]
    [InlineData("50000 10", null)]
    [InlineData("", null)]
    public void The_limit_of_v2_is_quota_over_period(string text, double? expected) =>
        CgroupFiles.ParseMax(Encoding.ASCII.GetBytes(text)).Should().Be(expected);

    [Theory]
    [InlineData("150000\n", "100000\n", 1.5)]
    [InlineData("-1\n", "100000\n", null)]
    [InlineData("", "100000\n", null)]
    public void The_limit_of_v1_is_quota_over_period(string quota, string period, double? expected) =>
        CgroupFiles.ParseQuota(Encoding.ASCII.GetBytes(quota), Encoding.ASCII.GetBytes(period)).Should().Be(expected);

    [Fact]
    public void Statistics_of_v2_are_in_microseconds_and_of_v1_in_nanoseconds()
    {
        CgroupCpu two = CgroupFiles.AddStatistics(
            default, "usage_usec 7000000\nuser_usec 5\nsystem_usec 2\nnr_periods 10\nnr_throttled 4\nthrottled_usec 2500000\n"u8);
        CgroupCpu one = CgroupFiles.AddStatistics(default, "nr_periods 10\nnr_throttled 4\nthrottled_time 2500000000\nnr_bursts 0\n"u8);

        two.Usage.Should().Be(TimeSpan.FromSeconds(7));
        one.Usage.Should().BeNull();
        foreach (CgroupCpu each in new[] { one, two })
        {
            (each.PeriodCount, each.ThrottledPeriodCount, each.ThrottledTime).Should().Be((10, 4, TimeSpan.FromSeconds(2.5)));
        }
    }

    [Fact]
    public void Missing_statistics_are_absent()
    {
        CgroupCpu group = CgroupFiles.AddStatistics(default, "usage_usec 18446744073709551615\nnr_periods -1\nnr_throttled x\nthrottled_usec 1"u8);

        group.Usage.Should().BeGreaterThan(TimeSpan.FromDays(365 * 292));
        (group.PeriodCount, group.ThrottledPeriodCount, group.ThrottledTime).Should().Be((null, null, null));
    }
}
