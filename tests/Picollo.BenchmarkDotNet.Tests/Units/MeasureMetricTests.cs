using BenchmarkDotNet.Columns;
using BenchmarkDotNet.Reports;
using Picollo.BenchmarkDotNet.Measures;
using Picollo.BenchmarkDotNet.Reports;
using Picollo.PerfEvent;

namespace Picollo.BenchmarkDotNet.Tests.Units;

public sealed class MeasureMetricTests
{
    private static readonly MeasureRequest Nothing = MeasureRequest.FromSets([], isAwaited: false);

    [Fact]
    public void The_smallest_value_determines_the_decimals()
    {
        double[][] columns = [[1000, 123456], [1000, 999.9], [1, 5_000], [0.999, 5_000], [0, double.NaN, 5_000]];

        columns.Select(FormatOf).Should().Equal("#,0", "#,0.00", "#,0.00", "#,0.0000", "#,0");

        static string FormatOf(double[] values)
        {
            MeasureMetric metric = new("Events/Op", "events", 0);
            values.Select(value => metric.ToMetric(value).Value).Should().Equal(values);
            return metric.NumberFormat;
        }
    }

    [Fact]
    public void Times_and_ratios_have_their_own_formats()
    {
        MeasureMetric time = new("Call p50", "half", 0, isTime: true);
        (time.NumberFormat, time.UnitType, time.Unit).Should().Be(("#,0.###", UnitType.Time, "ns"));
        MeasureMetric ratio = new("IPC", "ratio", 0, isRatio: true);
        (ratio.NumberFormat, ratio.UnitType, ratio.Unit, ratio.TheGreaterTheBetter).Should().Be(("0.00", UnitType.Dimensionless, "", true));
        time.TheGreaterTheBetter.Should().BeFalse();
        new MeasureMetric("Events/Op", "events", 0).UnitType.Should().Be(UnitType.Dimensionless);
        foreach ((double value, double shown) in ((double, double)[])[(10_006_528, 10_010_000), (1234.5678, 1235), (0.123456, 0.1235), (0, 0)])
        {
            time.ToMetric(value).Value.Should().BeApproximately(shown, shown * 1e-12, "times are rounded to significant digits");
        }
    }

    [Fact]
    public void CPU_over_wall_uses_the_sum_of_user_and_kernel_time_and_unknown_values_are_omitted()
    {
        MeasureMetrics.Create(Nothing, new([], [], new(150, 50, 100, 1, 2), null)).Select(metric => (metric.Descriptor.Id, metric.Value))
            .Should().Equal(("CPU/Op", 200), ("CPU/Wall", 2), ("VoluntarySwitches/Op", 1), ("InvoluntarySwitches/Op", 2));
        IdsOf(new(5, 0, null, 1, 2))
            .Should().Equal(["CPU/Op", "VoluntarySwitches/Op", "InvoluntarySwitches/Op"], "JSON readers reject NaN");
        IdsOf(new(10, 0, 100, null, null)).Should().Equal("CPU/Op", "CPU/Wall");

        static IEnumerable<string> IdsOf(CpuPerOperation cpu) => MeasureMetrics.Create(Nothing, new([], [], cpu, null))
            .Select(metric => metric.Descriptor.Id);
    }

    [Fact]
    public void Metrics_that_are_0_for_all_benchmarks_have_no_column()
    {
        MeasureMetric faults = new("PageFaults/Op", "faults", 0, isShownIfZero: false);
        faults.GetIsAvailable(faults.ToMetric(0)).Should().BeFalse();
        faults.GetIsAvailable(faults.ToMetric(0.00004)).Should().BeFalse("it would be shown as 0.0000");
        faults.GetIsAvailable(faults.ToMetric(0.5)).Should().BeTrue();
    }

    [Fact]
    public void User_and_kernel_time_are_shown_separately_on_request()
    {
        MeasureRequest request = MeasureRequest.FromSets([new([PicolloMeasure.CpuUsage]), new([PicolloMeasure.CpuUsageWithUserAndKernel])], isAwaited: false);
        MeasureMetrics.Create(request, new([], [], new(150, 50, null, null, null), null))
            .Select(metric => (metric.Descriptor.Id, metric.Value)).Should().Equal(("CPU/Op", 200), ("User/Op", 150), ("Kernel/Op", 50));
        MeasureColumns.GetSets(new CpuUsageDiagnoserAttribute { ShowUserAndKernel = true }.Config).Single().Measures.Should().Equal(PicolloMeasure.CpuUsageWithUserAndKernel);
    }

    [Fact]
    public void Percentiles_can_be_selected_and_are_in_order()
    {
        MeasureRequest request = MeasureRequest.FromSets(
            [new([PicolloMeasure.CreateHdrPercentiles(99.99, 50)]), new([PicolloMeasure.CreateHdrPercentiles(95, 50, 0, 100, -1)])], isAwaited: false);
        MeasureMetrics.DescribeCalls(request.Ranks).OrderBy(metric => metric.PriorityInCategory).Select(metric => metric.Id)
            .Should().Equal("Calls", "Call mean", "Call p50", "Call p95", "Call p99.99", "Call max");
        PicolloDiagnoser.Problems([new([PicolloMeasure.CreateHdrPercentiles(50, 100)])], _ => [], null)
            .Should().Equal("The percentile 100 is excluded: percentiles must be above 0 and below 100.");
    }

    [Fact]
    public void Clocks_are_times_and_other_counters_are_numbers()
    {
        MeasureRequest request = MeasureRequest.FromSets(
            [new([PerfSoftwareCounterId.TaskClock, PerfSoftwareCounterId.CpuClock, PerfSoftwareCounterId.PageFaults], IncludeKernel: true)], isAwaited: false);
        MeasureMetrics.Create(request, new([.. request.Counters.Select(counter => new CountedEvents(counter.Name, 5))], [], null, null))
            .Select(metric => (metric.Descriptor.Id, metric.Descriptor.UnitType, metric.Descriptor.Legend)).Should().Equal(
                ("TaskClock/Op", UnitType.Time, "TaskClock per operation, benchmark thread only, including kernel code"),
                ("CpuClock/Op", UnitType.Time, "CpuClock per operation, benchmark thread only, including kernel code"),
                ("PageFaults/Op", UnitType.Dimensionless, "PageFaults per operation, benchmark thread only, including kernel code"));
    }

    [Fact]
    public void IPC_is_scaled_if_its_instructions_or_its_cycles_are()
    {
        MeasureRequest request = MeasureRequest.FromSets([new([PerfHardwareCounterId.Instructions, PerfHardwareCounterId.CpuCycles])], isAwaited: false);
        foreach ((bool instructions, bool cycles) in new[] { (false, false), (true, false), (false, true) })
        {
            MeasureMetrics.Create(request, new([new("Instructions", 30, instructions), new("CpuCycles", 10, cycles)], [], null, null))
                .Select(metric => (metric.Descriptor.DisplayName, metric.Value)).Last().Should().Be(instructions || cycles ? ("IPC (scaled)", 3) : ("IPC", 3));
        }
    }

    [Fact]
    public void No_counter_can_have_the_name_of_a_column_of_CPU_usage()
    {
        MeasureMetrics.Create(MeasureRequest.FromSets([new([PicolloMeasure.CpuUsageWithUserAndKernel])], isAwaited: false), new([], [], new(1, 1, 1, 1, 1), null))
            .Select(metric => metric.Descriptor.Id).Where(id => id.EndsWith("/Op", StringComparison.Ordinal)).Should().Equal(BenchmarkCounter.NamesOfCpu.Select(name => $"{name}/Op"));
        PicolloMeasure[] counters = [.. BenchmarkCounter.NamesOfCpu.Append("other").Select(name => PicolloMeasure.CreateRawCounter(1, 9, name))];
        BenchmarkCounter.Choose(counters, out _).Should().HaveCount(6);
        BenchmarkCounter.Choose([.. counters, PicolloMeasure.CpuUsage], out IReadOnlyList<string> problems)
            .Select(counter => counter.Name).Should().Equal("other");
        problems.Should().HaveCount(5).And.Contain("The counter \"User\" is excluded: a column for CPU usage already has this name.");
    }
}
