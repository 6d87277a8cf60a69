using Picollo.PerfEvent;

namespace Picollo.Tests.PerfEvent;

/// <summary>The attributes that are passed to the kernel for the settings of a factory.</summary>
public sealed class PerfEventAttributesTests
{
    private const PerfEventFlags UserOnly = PerfEventFlags.ExcludeKernel | PerfEventFlags.ExcludeHypervisor;

    private const PerfReadFormat Times = PerfReadFormat.TotalTimeEnabled | PerfReadFormat.TotalTimeRunning;

    private static readonly PerfEventDefinition Instructions = new(PerfTypeId.Hardware, 1);

    [Fact]
    public void The_type_and_the_configs_of_an_event_are_passed_to_the_kernel()
    {
        PerfEventAttributes attributes = PerfEventOpener.Attributes(new(), new PerfEventDefinition(PerfTypeId.Raw, 0x1234, 5, 6), isLeader: true);
        attributes.Should().BeEquivalentTo(new PerfEventAttributes
        {
            Type = PerfTypeId.Raw,
            Size = 72,
            Config = 0x1234,
            Config1 = 5,
            Config2 = 6,
            Flags = UserOnly,
            ReadFormat = Times | PerfReadFormat.Group,
        }, options => options.IncludingFields());
    }

    [Fact]
    public void Each_setting_sets_its_flag()
    {
        var settings = new PerfEventSettings();
        Flags(settings with { CountsKernel = true }).Should().Be(PerfEventFlags.None);
        Flags(settings with { IsPinned = true }).Should().Be(UserOnly | PerfEventFlags.Pinned);
        Flags(settings with { IsEnabled = false }).Should().Be(UserOnly | PerfEventFlags.Disabled);
        Flags(settings with { IsPinned = true, IsEnabled = false }, isLeader: false).Should().Be(UserOnly, "members of a group follow its leader");
        Flags(settings with { Inherited = true }, isLeader: false).Should().Be(UserOnly | PerfEventFlags.Inherit);
        PerfEventOpener.Attributes(settings with { Inherited = true }, Instructions, isLeader: true).ReadFormat
            .Should().Be(Times, "kernels do not read inherited counters as a group");
    }

    [Theory]
    [InlineData(PerfTypeId.Software, PerfSoftwareCounterId.ContextSwitches, true)]
    [InlineData(PerfTypeId.Software, PerfSoftwareCounterId.CpuMigrations, true)]
    [InlineData(PerfTypeId.Software, PerfSoftwareCounterId.CgroupSwitches, true)]
    [InlineData(PerfTypeId.Software, PerfSoftwareCounterId.PageFaults, false)]
    [InlineData(PerfTypeId.Software, PerfSoftwareCounterId.TaskClock, false)]
    [InlineData(PerfTypeId.Tracepoint, (PerfSoftwareCounterId)1, true)]
    [InlineData(PerfTypeId.Hardware, (PerfSoftwareCounterId)3, false)]
    public void Events_that_happen_only_in_the_kernel_are_counted_in_the_kernel(PerfTypeId type, PerfSoftwareCounterId config, bool countsKernel) =>
        PerfEventOpener.Attributes(new(), new PerfEventDefinition(type, (ulong)config), isLeader: true).Flags
            .Should().Be(countsKernel ? PerfEventFlags.None : UserOnly);

    private static PerfEventFlags Flags(PerfEventSettings settings, bool isLeader = true) =>
        PerfEventOpener.Attributes(settings, Instructions, isLeader).Flags;
}
