using Picollo.PerfEvent;

namespace Picollo.Tests.PerfEvent;

public class PerfEventNamesTests
{
    [Theory]
    [InlineData("cycles", 0, 0)]
    [InlineData("cpu-cycles", 0, 0)]
    [InlineData("instructions", 0, 1)]
    [InlineData("cache-references", 0, 2)]
    [InlineData("cache-misses", 0, 3)]
    [InlineData("branches", 0, 4)]
    [InlineData("branch-instructions", 0, 4)]
    [InlineData("branch-misses", 0, 5)]
    [InlineData("bus-cycles", 0, 6)]
    [InlineData("stalled-cycles-frontend", 0, 7)]
    [InlineData("idle-cycles-backend", 0, 8)]
    [InlineData("ref-cycles", 0, 9)]
    [InlineData("cpu-clock", 1, 0)]
    [InlineData("task-clock", 1, 1)]
    [InlineData("page-faults", 1, 2)]
    [InlineData("faults", 1, 2)]
    [InlineData("context-switches", 1, 3)]
    [InlineData("cs", 1, 3)]
    [InlineData("cpu-migrations", 1, 4)]
    [InlineData("migrations", 1, 4)]
    [InlineData("minor-faults", 1, 5)]
    [InlineData("major-faults", 1, 6)]
    [InlineData("cgroup-switches", 1, 11)]
    [InlineData("L1-dcache-loads", 3, 0)]
    [InlineData("L1-dcache-load-misses", 3, 0x10000)]
    [InlineData("l1-DCACHE-stores", 3, 0x100)]
    [InlineData("L1-icache-prefetches", 3, 0x201)]
    [InlineData("LLC-load-misses", 3, 0x10002)]
    [InlineData("dTLB-store-misses", 3, 0x10103)]
    [InlineData("iTLB-loads", 3, 4)]
    [InlineData("branch-load-misses", 3, 0x10005)]
    [InlineData("node-prefetch-misses", 3, 0x10206)]
    [InlineData("r01c2", 4, 0x1c2)]
    [InlineData("RFF", 4, 0xff)]
    [InlineData("rffffffffffffffff", 4, -1)]
    public void A_name_of_perfs_is_the_kernels_event(string name, uint type, long config) =>
        PerfEventNames.Find(name).Should().Be(new PerfEventDefinition(type, (ulong)config));

    [Theory]
    [InlineData("")]
    [InlineData("cycle")]
    [InlineData("r")]
    [InlineData("rxyz")]
    [InlineData("r10000000000000000")]
    [InlineData("r 1")]
    public void Another_is_none(string name) => PerfEventNames.Find(name).Should().BeNull();

    [Theory]
    [InlineData("instrutions", "instructions")]
    [InlineData("Cycels", "cycles")]
    [InlineData("branch-mises", "branch-misses")]
    [InlineData("context-switch", "context-switches")]
    [InlineData("task", "task-clock")]
    public void The_nearest_name_is_proposed_first(string typed, string meant) => PerfEventNames.Nearest(typed).First().Should().Be(meant);

    [Fact]
    public void Commas_between_slashes_are_the_events_own() =>
        PerfEventNames.Split("cycles, cpu/event=0x2e,umask=0x41/,sched:sched_switch,").Should().Equal("cycles", "cpu/event=0x2e,umask=0x41/", "sched:sched_switch", "");

    [Fact]
    public void A_factory_takes_each_kind_and_names_counters_as_they_were_given()
    {
        PerfEventSettings settings = PerfEventCounterSession.Factory.WithPerfEvents("CYCLES,r1,cpu/event=0x2e,umask=0x41/,sched:sched_switch").Settings;

        settings.Counters.Should().Equal(
            new PerfEventNumbers("CYCLES", new PerfEventDefinition(0, 0)),
            new PerfEventNumbers("r1", new PerfEventDefinition(4, 1)),
            new PerfPmuEvent("cpu/event=0x2e,umask=0x41/", "cpu", "event=0x2e,umask=0x41"),
            new PerfTracepoint("sched:sched_switch", "sched", "sched_switch"));
    }

    [Theory]
    [InlineData("cycels", "There is no event \"cycels\". Of nearest name: cycles, *")]
    [InlineData("cycles,", "There is no event \"\".*")]
    [InlineData("cycles,cycles", "*already*")]
    [InlineData("cpu/x", "*not of the form pmu/event/*")]
    [InlineData("a:b:c", "*not of the form category:name*")]
    public void What_is_no_event_is_refused(string events, string message) =>
        FluentActions.Invoking(() => PerfEventCounterSession.Factory.WithPerfEvents(events)).Should().Throw<ArgumentException>().WithMessage(message);
}
