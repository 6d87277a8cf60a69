using Picollo.PerfEvent;

namespace Picollo.Tests.PerfEvent;

public sealed class PerfEventFactoryTests
{
    private static PerfEventCounterSessionFactory Factory => PerfEventCounterSession.Factory;

    [Fact]
    public void Invalid_targets_are_rejected()
    {
        Factory.Invoking(f => f.WithTarget(-2, 0)).Should().Throw<ArgumentOutOfRangeException>().WithParameterName("pid");
        Factory.Invoking(f => f.WithTarget(-1, -1)).Should().Throw<ArgumentOutOfRangeException>().WithParameterName("cpu");
        Factory.Invoking(f => f.WithTarget(0, -2)).Should().Throw<ArgumentOutOfRangeException>().WithParameterName("cpu");
        Factory.Invoking(f => f.WithTarget(1L << 31, -1)).Should().Throw<ArgumentOutOfRangeException>().WithParameterName("pid");
        Factory.Invoking(f => f.WithThread(0)).Should().Throw<ArgumentOutOfRangeException>().WithParameterName("threadId");
        Factory.Invoking(f => f.WithThread(1L << 31)).Should().Throw<ArgumentOutOfRangeException>().WithParameterName("threadId");
        Factory.Invoking(f => f.WithCpu(-1)).Should().Throw<ArgumentOutOfRangeException>().WithParameterName("cpu");
        Factory.Invoking(f => f.WithProcess(-1)).Should().Throw<ArgumentOutOfRangeException>().WithParameterName("processId");
    }

    [Fact]
    public void A_target_replaces_the_previous_one()
    {
        Target(Factory).Should().Be((0, -1, null));
        Target(Factory.WithProcess(7).WithThread(42)).Should().Be((42, -1, null));
        Target(Factory.WithThread(42).WithCpu(3)).Should().Be((-1, 3, null));
        Target(Factory.WithCpu(3).WithThread(42)).Should().Be((42, -1, null));
        Target(Factory.WithThread(42).WithTarget(-1, 3)).Should().Be((-1, 3, null));
        Target(Factory.WithCpu(3).WithTarget(42, 5)).Should().Be((42, 5, null));
        Target(Factory.WithCpu(3).WithTarget(0, -1)).Should().Be((0, -1, null));
        Target(Factory.WithCpu(3).WithProcess(7)).Should().Be((0, -1, 7));

        static (int ThreadId, int Cpu, int? ProcessId) Target(PerfEventCounterSessionFactory factory) =>
            (factory.Settings.ThreadId, factory.Settings.Cpu, factory.Settings.ProcessId);
    }

    [Fact]
    public void Later_threads_count_for_a_process_and_not_for_a_thread_by_default()
    {
        Factory.Settings.IsInherited.Should().BeFalse();
        Factory.WithProcess(0).Settings.IsInherited.Should().BeTrue();
        Factory.WithProcess(0).WithTarget(0, -1).Settings.IsInherited.Should().BeFalse("the process is no longer the target");
        Factory.WithProcess(0).WithInherited(false).Settings.IsInherited.Should().BeFalse();
        Factory.WithInherited(false).WithProcess(0).Settings.IsInherited.Should().BeFalse();
        Factory.WithInherited(true).WithTarget(0, -1).Settings.IsInherited.Should().BeTrue();
    }

    [Fact]
    public void The_parameterless_method_adds_the_common_hardware_counters() =>
        Factory.WithHardwareCounters().Settings.Counters.Select(counter => counter.Name).Should().Equal(
            "Hardware:Instructions", "Hardware:CpuCycles", "Hardware:RefCpuCycles", "Hardware:BranchInstructions", "Hardware:BranchMisses",
            "Hardware:CacheReferences", "Hardware:CacheMisses");

    [Fact]
    public void The_name_of_a_raw_counter_contains_the_event_code()
    {
        Factory.WithRawCounter(0x1c2).Settings.Counters.Should().Equal(
            new PerfEventNumbers("Raw:450", new PerfEventDefinition(PerfTypeId.Raw, 0x1c2)));
        Factory.Invoking(f => f.WithRawCounter(1).WithRawCounter(1)).Should().Throw<ArgumentException>();
    }

    [FactNeeding(Need.PerfEvents)]
    public void A_returned_counter_belongs_to_one_session()
    {
        PerfEventCounterSessionFactory factory = Factory.WithSoftwareCounter(PerfSoftwareCounterId.PageFaults, out PerfEventCounter faults);
        PerfEventCounterSessionFactory derived = factory.WithSoftwareCounter(PerfSoftwareCounterId.TaskClock);
        using PerfEventCounterSession session = factory.Create();
        session.Counters.Should().Equal(faults);
        session.Counters.PageFaults.Should().BeSameAs(faults);
        foreach (PerfEventCounterSessionFactory again in (PerfEventCounterSessionFactory[])[factory, derived])
        {
            again.Invoking(f => f.Create()).Should().Throw<InvalidOperationException>().WithMessage("*Software:PageFaults*");
            again.Invoking(f => f.TryCreate(out _, out _)).Should().Throw<InvalidOperationException>();
        }
    }

    [Fact]
    public void Only_one_of_concurrently_created_sessions_gets_the_counter()
    {
        PerfEventCounter[] counters = [.. Enumerable.Range(0, 10_000).Select(_ => new PerfEventCounter("counter", default))];
        int claims = 0;
        NewThread.RunAll(4, _ => Interlocked.Add(ref claims, counters.Count(counter => counter.TryClaim())));
        claims.Should().Be(counters.Length);
    }

    [Fact]
    public void A_counter_is_released_if_the_session_could_not_be_created()
    {
        PerfEventCounterSessionFactory factory = Factory.WithHardwareCounter((PerfHardwareCounterId)1_000, out PerfEventCounter none);
        for (int i = 0; i < 2; i++)
        {
            factory.Invoking(f => f.Create()).Should().Throw<MeasurementUnavailableException>();
        }

        none.TryClaim().Should().BeTrue();
        none.TryClaim().Should().BeFalse();
    }

    /// <summary>Compares only the names, because the counters may not exist. Each property must use the preset of its own name.</summary>
    [Fact]
    public void Named_counters_match_their_presets()
    {
        int count = 0;
        foreach ((Type presets, PerfTypeId kind) in ((Type, PerfTypeId)[])
        [
            (typeof(PerfHardwareCounterId), PerfTypeId.Hardware),
            (typeof(PerfSoftwareCounterId), PerfTypeId.Software),
            (typeof(PerfCacheCounterId), PerfTypeId.HardwareCache),
        ])
        {
            foreach (System.Reflection.PropertyInfo property in typeof(PerfEventCounters).GetProperties().Where(each => Enum.IsDefined(presets, each.Name)))
            {
                ulong config = (ulong)(int)Enum.Parse(presets, property.Name);
                PerfEventCounter counter = new("counter", new PerfEventDefinition(kind, config));
                PerfEventCounters counters = new([new("another", new PerfEventDefinition(PerfTypeId.Raw, config)), counter]);
                property.GetValue(counters).Should().BeSameAs(counter, "it is {0}", property.Name);
                count++;
            }
        }

        count.Should().Be(34);
    }

    [Fact]
    public void Supported_counters_can_be_opened()
    {
        PerfEventCounterSession.IsSupported.Should().Be(
            Factory.WithSoftwareCounter(PerfSoftwareCounterId.Dummy).TryCreate(out PerfEventCounterSession? dummy, out _));
        dummy?.Dispose();
        PerfEventCounterSession.IsCounterSupported(PerfHardwareCounterId.Instructions).Should().Be(
            Factory.WithHardwareCounter(PerfHardwareCounterId.Instructions).TryCreate(out PerfEventCounterSession? instructions, out _));
        instructions?.Dispose();
        PerfEventCounterSession.IsCounterSupported((PerfHardwareCounterId)1_000).Should().BeFalse();
        PerfEventCounterSession.IsCounterSupported((PerfCacheCounterId)0xFFFFFF).Should().BeFalse();
    }

    [Fact]
    public void A_counter_can_be_added_only_once()
    {
        Factory.Invoking(f => f.WithFixedCounters().WithHardwareCounter(PerfHardwareCounterId.CpuCycles))
            .Should().Throw<ArgumentException>().WithMessage("*already has counter Hardware:CpuCycles*").WithParameterName("hardwareCounterId");
        Factory.Invoking(f => f.WithRawCounter(4, 1, "x").WithRawCounter(4, 2, "x")).Should().Throw<ArgumentException>().WithParameterName("name");
    }

    [Fact]
    public void A_session_has_at_most_64_counters()
    {
        PerfEventCounterSessionFactory full = Factory;
        for (ulong i = 0; i < 64; i++)
        {
            full = full.WithRawCounter(1, 2, $"faults {i}");
        }

        full.Invoking(f => f.WithRawCounter(1, 2, "one more")).Should().Throw<ArgumentException>().WithMessage("*64 counters*");
    }

    [Theory]
    [InlineData("cycles")]
    [InlineData("cpu/")]
    [InlineData("cpu/cycles")]
    [InlineData("cpu/a/b/")]
    [InlineData("../cycles/")]
    [InlineData("cpu/event=zz/")]
    public void The_form_of_named_counters_is_checked(string text) =>
        Factory.Invoking(f => f.WithNamedCounter(text)).Should().Throw<ArgumentException>().WithParameterName("pmuEvent");

    [Theory]
    [InlineData("sched_switch")]
    [InlineData("sched:")]
    [InlineData("a:b:c")]
    [InlineData("..:id")]
    [InlineData("sched/../..:x")]
    public void The_form_of_tracepoints_is_checked(string text) =>
        Factory.Invoking(f => f.WithTracepoint(text)).Should().Throw<ArgumentException>().WithParameterName("tracepoint");

    [Fact]
    public void Invalid_names_and_IDs_and_a_session_without_counters_are_rejected()
    {
        Factory.Invoking(f => f.WithRawCounter(4, 1, " ")).Should().Throw<ArgumentException>().WithParameterName("name");
        Factory.Invoking(f => f.WithHardwareCounter((PerfHardwareCounterId)(-1))).Should().Throw<ArgumentOutOfRangeException>();
        Factory.Invoking(f => f.Create()).Should().Throw<InvalidOperationException>().WithMessage("*Add a counter*");
    }

    /// <summary>The numbers of the kernel (include/uapi/linux/perf_event.h, perf_event_open(2)).</summary>
    [Fact]
    public void Presets_have_the_numbers_of_the_kernel()
    {
        ((int)PerfHardwareCounterId.BranchMisses).Should().Be(5);
        ((int)PerfHardwareCounterId.RefCpuCycles).Should().Be(9);
        ((int)PerfSoftwareCounterId.ContextSwitches).Should().Be(3);
        ((int)PerfSoftwareCounterId.CgroupSwitches).Should().Be(11);
        ((int)PerfCacheCounterId.L1DReadMiss).Should().Be(0x10000);
        ((int)PerfCacheCounterId.L1IReadMiss).Should().Be(0x10001);
        ((int)PerfCacheCounterId.LLWriteAccess).Should().Be(0x00102);
        ((int)PerfCacheCounterId.NodePrefetchMiss).Should().Be(0x10206);
        Enum.GetValues<PerfCacheCounterId>().Should().HaveCount(7 * 3 * 2).And.OnlyHaveUniqueItems();
    }
}
