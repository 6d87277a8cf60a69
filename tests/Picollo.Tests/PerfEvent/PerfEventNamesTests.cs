using Picollo.PerfEvent;

namespace Picollo.Tests.PerfEvent;

public class PerfEventNamesTests
{
    [Theory]
    [InlineData("cycles", PerfTypeId.Hardware, 0)]
    [InlineData("cpu-cycles", PerfTypeId.Hardware, 0)]
    [InlineData("instructions", PerfTypeId.Hardware, 1)]
    [InlineData("cache-references", PerfTypeId.Hardware, 2)]
    [InlineData("cache-misses", PerfTypeId.Hardware, 3)]
    [InlineData("branches", PerfTypeId.Hardware, 4)]
    [InlineData("branch-instructions", PerfTypeId.Hardware, 4)]
    [InlineData("branch-misses", PerfTypeId.Hardware, 5)]
    [InlineData("bus-cycles", PerfTypeId.Hardware, 6)]
    [InlineData("stalled-cycles-frontend", PerfTypeId.Hardware, 7)]
    [InlineData("idle-cycles-backend", PerfTypeId.Hardware, 8)]
    [InlineData("ref-cycles", PerfTypeId.Hardware, 9)]
    [InlineData("cpu-clock", PerfTypeId.Software, 0)]
    [InlineData("task-clock", PerfTypeId.Software, 1)]
    [InlineData("page-faults", PerfTypeId.Software, 2)]
    [InlineData("faults", PerfTypeId.Software, 2)]
    [InlineData("context-switches", PerfTypeId.Software, 3)]
    [InlineData("cs", PerfTypeId.Software, 3)]
    [InlineData("cpu-migrations", PerfTypeId.Software, 4)]
    [InlineData("migrations", PerfTypeId.Software, 4)]
    [InlineData("minor-faults", PerfTypeId.Software, 5)]
    [InlineData("major-faults", PerfTypeId.Software, 6)]
    [InlineData("cgroup-switches", PerfTypeId.Software, 11)]
    [InlineData("L1-dcache-loads", PerfTypeId.HardwareCache, 0)]
    [InlineData("L1-dcache-load-misses", PerfTypeId.HardwareCache, 0x10000)]
    [InlineData("l1-DCACHE-stores", PerfTypeId.HardwareCache, 0x100)]
    [InlineData("L1-icache-prefetches", PerfTypeId.HardwareCache, 0x201)]
    [InlineData("LLC-load-misses", PerfTypeId.HardwareCache, 0x10002)]
    [InlineData("dTLB-store-misses", PerfTypeId.HardwareCache, 0x10103)]
    [InlineData("iTLB-loads", PerfTypeId.HardwareCache, 4)]
    [InlineData("branch-load-misses", PerfTypeId.HardwareCache, 0x10005)]
    [InlineData("node-prefetch-misses", PerfTypeId.HardwareCache, 0x10206)]
    [InlineData("r01c2", PerfTypeId.Raw, 0x1c2)]
    [InlineData("RFF", PerfTypeId.Raw, 0xff)]
    [InlineData("rffffffffffffffff", PerfTypeId.Raw, -1)]
    public void Names_of_perf_are_events_of_the_kernel(string name, PerfTypeId type, long config) =>
        PerfEventNames.Find(name).Should().Be(new PerfEventDefinition(type, (ulong)config));

    [Theory]
    [InlineData("")]
    [InlineData("r")]
    [InlineData("rxyz")]
    [InlineData("r10000000000000000")]
    public void Unknown_names_are_not_found(string name) => PerfEventNames.Find(name).Should().BeNull();

    [Theory]
    [InlineData("instrutions", "instructions")]
    [InlineData("Cycels", "cycles")]
    [InlineData("task", "task-clock")]
    public void The_nearest_name_is_proposed_first(string typed, string meant) => PerfEventNames.Nearest(typed).First().Should().Be(meant);

    [Fact]
    public void Commas_between_slashes_belong_to_the_event() =>
        PerfEventNames.Split("cycles, cpu/event=0x2e,umask=0x41/,sched:sched_switch,").Should().Equal("cycles", "cpu/event=0x2e,umask=0x41/", "sched:sched_switch", "");

    [Fact]
    public void A_factory_accepts_each_kind_and_keeps_the_given_names()
    {
        PerfEventSettings settings = PerfEventCounterSession.Factory.WithPerfEvents("CYCLES,r1,cpu/event=0x2e,umask=0x41/,sched:sched_switch").Settings;

        settings.Counters.Should().Equal(
            new PerfEventNumbers("CYCLES", new PerfEventDefinition(PerfTypeId.Hardware, 0)),
            new PerfEventNumbers("r1", new PerfEventDefinition(PerfTypeId.Raw, 1)),
            new PerfPmuEvent("cpu/event=0x2e,umask=0x41/", "cpu", "event=0x2e,umask=0x41"),
            new PerfTracepoint("sched:sched_switch", "sched", "sched_switch"));
    }

    [Theory]
    [InlineData("cycles:u", true, false)]
    [InlineData("page-faults:k", false, true)]
    [InlineData("r1:uk", true, true)]
    [InlineData("sched:sched_switch:ku", true, true)]
    [InlineData("cpu/event=0x2e/u", true, false)]
    [InlineData("cpu/event=0x2e,umask=0x41/:k", false, true)]
    public void Modifiers_select_user_or_kernel_code(string name, bool user, bool kernel)
    {
        foreach (bool withKernel in (bool[])[false, true])
        {
            PerfEventSettings settings = PerfEventCounterSession.Factory.WithKernel(withKernel).WithPerfEvents(name).Settings;

            PerfEventSpec spec = settings.Counters.Should().ContainSingle().Which;
            spec.Name.Should().Be(name);
            PerfEventDefinition definition = new(PerfTypeId.Software, 3) { Exclusions = spec.Exclusions };
            PerfEventOpener.Attributes(settings, definition, isLeader: false).Flags.Should().Be(
                PerfEventFlags.ExcludeHypervisor | (user ? 0 : PerfEventFlags.ExcludeUser) | (kernel ? 0 : PerfEventFlags.ExcludeKernel));
        }
    }

    [Theory]
    [InlineData("cycels", "There is no event \"cycels\". Similar names: cycles, *")]
    [InlineData("cycles,", "There is no event \"\".*")]
    [InlineData("cycles,cycles", "*already*")]
    [InlineData("cpu/x", "*not have the form pmu/event/*")]
    [InlineData("a:b:c:u", "*not have the form category:name*")]
    [InlineData("a:b:c", "The modifier \"c\" in \"a:b:c\" is not supported.*")]
    [InlineData("page-fauls:u", "There is no event \"page-fauls\". Similar names: page-faults, *")]
    [InlineData("cycles:pp", "The modifier \"p\" in \"cycles:pp\" is not supported. Use u for user code, k for kernel code, or uk for both.*")]
    [InlineData("cycles:", "The modifier \"\" in \"cycles:\" is not supported.*")]
    [InlineData("r1:uu", "The modifier \"u\" in \"r1:uu\" is duplicated.*")]
    [InlineData("cpu/event=1/P", "The modifier \"P\" in \"cpu/event=1/P\" is not supported.*")]
    [InlineData("{cycles,instructions}", "Groups such as {a,b} are not supported. List the events without braces.*")]
    public void Invalid_events_are_rejected(string events, string message) =>
        FluentActions.Invoking(() => PerfEventCounterSession.Factory.WithPerfEvents(events)).Should().Throw<ArgumentException>().WithMessage(message);
}
