using Picollo.Cpu.Linux;
using Picollo.PerfEvent;

namespace Picollo.Tests.PerfEvent;

/// <summary>Reads a sysfs and a tracefs that the test creates.</summary>
public sealed class PerfEventSourcesTests : IDisposable
{
    private readonly string _root = Directory.CreateTempSubdirectory("picollo-sysfs-").FullName;
    private readonly PerfEventSources _sources;

    public PerfEventSourcesTests()
    {
        Write("devices/cpu/type", "4\n");
        Write("devices/cpu/format/event", "config:0-7,32-35\n");
        Write("devices/cpu/format/umask", "config:8-15\n");
        Write("devices/cpu/format/offcore_rsp", "config1:0-63\n");
        Write("devices/cpu/format/any", "config:21\n");
        Write("devices/cpu/format/odd", "somewhere:0-7\n");
        Write("devices/cpu/events/cache-misses", "event=0x64,umask=0x09\n");
        Write("devices/cpu/events/broken", "event=zz\n");
        Write("devices/cpu/events/circular", "circular\n");
        Write("devices/uncore/type", "not a number\n");
        Write("tracing/events/sched/sched_switch/id", "314\n");
        Write("tracing/events/sched/odd/id", "?\n");
        _sources = new PerfEventSources(PathOf("devices"), [PathOf("elsewhere"), PathOf("tracing")]);
    }

    public void Dispose() => Directory.Delete(_root, recursive: true);

    [Theory]
    [InlineData("cache-misses", 0x964, 0)]
    [InlineData("event=0x1c2,umask=0x3", 0x1000003c2ul, 0)]
    [InlineData("cache-misses,umask=0xff", 0xff64, 0)]
    [InlineData("event=1,any", 0x200001, 0)] // a field without a value is 1
    [InlineData("event=1,any=0", 1, 0)]
    [InlineData("config=0x1234,config1=7", 0x1234, 7)]
    [InlineData("event=1,offcore_rsp=0xffffffffffffffff", 1, ulong.MaxValue)]
    public void Events_are_found_by_the_names_of_their_PMU(string terms, ulong config, ulong config1) =>
        Resolve("cpu", terms).Should().Be(new PerfEventDefinition(PerfTypeId.Raw, config, config1));

    [Theory]
    [InlineData("gpu", "event=1", "*no PMU named \"gpu\"*cpu, uncore*")]
    [InlineData("cpu", "nothing", "*neither a field nor an event \"nothing\"*")]
    [InlineData("cpu", "cache-misses=1", "*neither a field nor an event \"cache-misses\"*")]
    [InlineData("cpu", "umask=0x100", "*\"umask\" does not fit into its field (config:8-15)*")]
    [InlineData("cpu", "odd=1", "*format of the field is unknown*")]
    [InlineData("cpu", "circular", "*neither a field nor an event \"circular\"*")]
    [InlineData("cpu", "broken", "*zz*")]
    [InlineData("uncore", "event=1", "*type does not contain a number*")]
    public void Missing_names_are_reported(string pmu, string terms, string message) =>
        FluentActions.Invoking(() => Resolve(pmu, terms)).Should().Throw<MeasurementUnavailableException>().WithMessage($"{pmu}/{terms}/: {message}");

    [FactNeeding(Need.Linux)]
    public void A_file_that_cannot_be_read_is_reported_with_the_error_number()
    {
        const int Loop = 40; // ELOOP: a link to itself
        Directory.CreateDirectory(PathOf("devices/loop"));
        File.CreateSymbolicLink(PathOf("devices/loop/type"), PathOf("devices/loop/type"));

        FluentActions.Invoking(() => Resolve("loop", "event=1")).Should().Throw<MeasurementUnavailableException>().WithMessage("*type cannot be read*")
            .Which.ErrorNumber.Should().Be(Loop);
    }

    [Fact]
    public void Tracepoints_are_found_by_category_and_name() =>
        ResolveTracepoint(_sources, "sched", "sched_switch").Should().Be(new PerfEventDefinition(PerfTypeId.Tracepoint, 314));

    [Fact]
    public void Problems_with_a_tracepoint_are_reported()
    {
        FluentActions.Invoking(() => ResolveTracepoint(_sources, "sched", "nothing")).Should().Throw<MeasurementUnavailableException>()
            .WithMessage(LinuxRights.Read().IsRoot ? "*no such tracepoint*" : "*no such tracepoint*mount -o remount,mode=750,gid=*");
        FluentActions.Invoking(() => ResolveTracepoint(_sources, "sched", "odd")).Should().Throw<MeasurementUnavailableException>()
            .WithMessage("*does not contain a number*");
        var unmounted = new PerfEventSources(PathOf("devices"), [PathOf("elsewhere")]);
        FluentActions.Invoking(() => ResolveTracepoint(unmounted, "sched", "sched_switch")).Should().Throw<MeasurementUnavailableException>()
            .WithMessage($"*{LinuxRights.Read().MountTracing}*");
    }

    private static PerfEventDefinition ResolveTracepoint(PerfEventSources sources, string category, string name) =>
        new PerfTracepoint($"{category}:{name}", category, name).Resolve(sources);

    private PerfEventDefinition Resolve(string pmu, string terms) => new PerfPmuEvent($"{pmu}/{terms}/", pmu, terms).Resolve(_sources);

    private string PathOf(string path) => Path.Combine(_root, path);

    private void Write(string path, string text)
    {
        Directory.CreateDirectory(Path.GetDirectoryName(PathOf(path))!);
        File.WriteAllText(PathOf(path), text);
    }
}
