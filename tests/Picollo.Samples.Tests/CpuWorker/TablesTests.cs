using Picollo.Samples.CpuWorker.Driving;

namespace Picollo.Samples.Tests.CpuWorker;

public sealed class TablesTests
{
    private const double Slice = 10;

    [Fact]
    public void Runs_are_summarized_by_medians_and_the_maximum_of_all()
    {
        Runs runs = RunsOf(With(1, 20, 300, 4_000), With(3, 10, 200, 9_000), With(2, 30, 100, 5_000)), loads = new();
        loads.Add(new WrkReport(1, 1, 0, null), new CpuLoad(1, 20, 300));
        loads.Add(new WrkReport(1, 1, 0, null), new CpuLoad(3, 10, 100));
        loads.Add(new WrkReport(1, 1, 0, null), new CpuLoad(2, 30, 200));

        runs.Latency.Should().Be(With(2, 20, 200, 9_000));
        loads.Load.Should().Be(new CpuLoad(2, 20, 200));
        runs.Load.Should().Be(NoLoad, "a system without a load average has none");
        (new Runs().Latency, new Runs().Load).Should().Be((null, null));
        RunsOf(Flat(2), Flat(30), Flat(4)).RatioTo(RunsOf(Flat(1), Flat(10), Flat(4)), one => one.P50).Should().Be(2, "the ratios are 2, 3 and 1");
    }

    [Theory]
    [InlineData(1.15, 3, 2, 15, 0.95, " met    |")]
    [InlineData(1.16, 3.01, 2.01, 15.01, 0.949, " MISSED |")]
    [InlineData(0, 0, 0, 0, double.NaN, " MISSED |")] // without responses
    public void Each_target_is_met_at_its_limit(double p50, double p99, double smallP50, double smallP99, double bigRate, string end)
    {
        StepResults measured = new(10);
        measured.Alone.Add(new WrkReport(1, 1, 0, Flat(1)), NoLoad);
        measured.Scheduled.Add(RunsOf(p50 == 0 ? null : With(p50, 1, p99, 1)).Reports[0], NoLoad);
        measured.Small.Add(RunsOf(p50 == 0 ? null : With(smallP50, 1, smallP99, 1)).Reports[0], NoLoad);
        measured.BigRate.Add(bigRate);
        measured.SemaphoreBigRate.Add(1);
        StringWriter output = new();

        TargetTable.Write(output, measured, Slice);

        output.ToString().Split(Environment.NewLine).Where(row => row.Contains(" at most ") || row.Contains(" at least "))
            .Should().HaveCount(5).And.OnlyContain(row => row.EndsWith(end));
    }

    [Fact]
    [Trait("Category", "Slow")]
    public async Task The_load_counts_the_CPU_time_of_the_process_and_the_busy_CPUs_of_the_machine()
    {
        (int result, CpuLoad load) = await CpuLoad.MeasureAsync(Environment.ProcessId, () => Task.Run(() =>
        {
            for (long end = Environment.TickCount64 + 200; Environment.TickCount64 < end;)
            {
                Thread.SpinWait(100);
            }

            return 7;
        }));

        result.Should().Be(7);
        load.ServerCpus.Should().BePositive();
        load.MachineCpus.Should().BePositive().And.BeLessThanOrEqualTo(Environment.ProcessorCount + 1e-9);
    }

    [Fact]
    public void All_tables_are_printed_as_in_the_golden_file()
    {
        StepResults at10 = Golden(10);
        StepResults at100 = new(100);
        at100.Alone.Add(new WrkReport(9, 23_303.6, 0, new(3.96, 4, 4.2, 4.5, 5.1, 6, 8, 10.49, 17.6)), new CpuLoad(1.5, 2, 3.25));
        at100.Unscheduled.Add(new WrkReport(0, 0, 0, null), NoLoad);
        StringWriter output = new();

        StepTable.Write(output, at10, at100);
        TargetTable.Write(output, at10, Slice);

        using StreamReader golden = new(typeof(TablesTests).Assembly.GetManifestResourceStream("CpuWorkerTables.txt")!);
        output.ToString().ReplaceLineEndings("\n").Should().Be(golden.ReadToEnd().ReplaceLineEndings("\n"));
    }

    /// <summary>Creates results in which all figures differ.</summary>
    private static StepResults Golden(int concurrency)
    {
        StepResults all = new(concurrency);
        Runs[] runs =
        [
            all.Alone, all.Unscheduled, all.Scheduled, all.SemaphoreScheduled, all.AmpleSemaphoreScheduled, all.WithBoth, all.SemaphoreWithBoth,
            all.Small, all.SemaphoreSmall, all.Loop, all.LoopInPool,
        ];
        for (int i = 0; i < runs.Length; i++)
        {
            double step = i / 100.0;
            Latencies latency = new(1.5 + step, 2.5 + step, 3.5 + step, 4.5 + step, 12.345 + i, 25.5 + i, 50.5 + i, 100.4 + i, 12_345 + i);
            runs[i].Add(new WrkReport(1_000, 1_000.4 + i, i == 1 ? 5 : 0, latency), new CpuLoad(step, 1 + step, 2 + step));
        }

        all.BigRate.AddRange([4, 5]);
        all.SemaphoreBigRate.AddRange([5, 5]);
        all.AmpleSemaphoreBigRate.AddRange([4, 4]);
        all.BigRateWithSmall.AddRange([1, 2]);
        all.SemaphoreBigRateWithSmall.AddRange([4.5, 4.75]);
        all.SmallInPool.AddRange([With(1, 2, 12, 20), With(1.5, 3, 14, 30)]);
        return all;
    }

    private static CpuLoad NoLoad { get; } = new(0, 0, null);

    private static Latencies Flat(double milliseconds) => With(milliseconds, milliseconds, milliseconds, milliseconds);

    /// <summary>Creates latencies. Each missing percentile has the value of the percentile below it.</summary>
    private static Latencies With(double p50, double p90, double p99, double max) => new(p50, p50, p50, p50, p90, p90, p90, p99, max);

    private static Runs RunsOf(params Latencies?[] latencies)
    {
        Runs runs = new();
        Array.ForEach(latencies, latency => runs.Add(new WrkReport(latency is null ? 0 : 1, 1, 0, latency), NoLoad));
        return runs;
    }
}
