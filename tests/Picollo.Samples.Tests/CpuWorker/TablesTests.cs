using Picollo.Samples.CpuWorker.Driving;

namespace Picollo.Samples.Tests.CpuWorker;

public sealed class TablesTests
{
    private const double Slice = 10;

    private static readonly string[] DocumentRows =
    [
        "1: alone; /delay1ms; 2.00; 2.00; 2.00; 2.00; 3.00; 3.00; 4.00; 4.00; 5.00; 44,413",
        "2: checksums without the pool; /delay1ms; 293; 323; 353; 380; 454; 504; 604; 615; 1,038; 317",
        "3: checksums in the pool; /delay1ms; 2.00; 2.00; 2.00; 3.00; 3.00; 4.00; 4.00; 4.00; 5.00; 42,656",
        "4: also small checksums; /delay1ms; 2.00; 2.00; 2.00; 3.00; 3.00; 4.00; 4.00; 4.00; 5.00; 42,031",
        "4: also small checksums; small checksum; 3.00; 4.00; 6.00; 9.00; 11.00; 11.00; 12.00; 12.00; 13.00; 21,334",
        "2: checksums without the pool; /delay1ms; ; ; 16",
        "3: checksums in the pool; /delay1ms; ; ; 12",
        "4: also small checksums; /delay1ms; ; ; 12",
    ];

    [Fact]
    public void Runs_are_summarized_by_medians_and_the_maximum_of_all()
    {
        Runs runs = RunsOf(With(1, 20, 300, 4_000), With(3, 10, 200, 9_000), With(2, 30, 100, 5_000));

        runs.Latency.Should().Be(With(2, 20, 200, 9_000));
        new Runs().Latency.Should().BeNull();
    }

    [Fact]
    public void Ratios_are_those_of_paired_runs()
    {
        Runs mine = RunsOf(Flat(2), Flat(30), Flat(4));
        Runs theirs = RunsOf(Flat(1), Flat(10), Flat(4));

        mine.RatioTo(theirs, one => one.P50).Should().Be(2, "the ratios are 2, 3 and 1");
    }

    [Fact]
    public void Each_target_is_met_at_its_limit()
    {
        string[] rows = TargetRows(Measured(scheduled: With(1.15, 1, 3, 1), small: With(2, 1, 15, 1), bigRate: 0.95));

        rows.Should().HaveCount(5).And.OnlyContain(row => row.EndsWith(" met    |"));
    }

    [Fact]
    public void Each_target_is_missed_beyond_its_limit()
    {
        string[] rows = TargetRows(Measured(scheduled: With(1.16, 1, 3.01, 1), small: With(2.01, 1, 15.01, 1), bigRate: 0.949));

        rows.Should().HaveCount(5).And.OnlyContain(row => row.EndsWith(" MISSED |"));
    }

    [Fact]
    public void Targets_without_responses_are_missed()
    {
        string[] rows = TargetRows(Measured(scheduled: null, small: null, bigRate: double.NaN));

        rows.Should().HaveCount(5).And.OnlyContain(row => row.EndsWith(" MISSED |"));
    }

    [Fact]
    public void The_table_contains_the_figures_of_the_document_for_each_step()
    {
        string[] rows = StepRows(Measured(scheduled: Flat(1), small: Flat(1), bigRate: 1));

        rows.Where(row => row.Contains("document, 100")).Select(Cells).Should().Equal(DocumentRows);

        static string Cells(string row)
        {
            string[] cells = [.. row.Trim('|').Split('|').Select(cell => cell.Trim())];
            return string.Join("; ", [.. cells[..2], .. cells[3..]]);
        }
    }

    [Fact]
    public void A_step_without_responses_shows_none_and_a_skipped_step_has_no_row()
    {
        StepResults measured = Measured(scheduled: Flat(1), small: Flat(1), bigRate: 1);
        measured.Unscheduled.Add(new WrkReport(0, 0, 7, null), NoLoad);

        string[] rows = StepRows(measured);

        rows.Should().ContainSingle(row => row.StartsWith("| 2:") && row.Contains("here, 10, 7 failed")).Which
            .Should().MatchRegex(@"(none \| +){9}0 \|$");
        rows.Should().NotContain(row => row.Contains("delay1msLoop"));
    }

    [Fact]
    public void The_load_of_a_step_is_the_median_of_its_runs()
    {
        Runs runs = new();
        runs.Add(new WrkReport(1, 1, 0, null), new CpuLoad(1, 20, 300));
        runs.Add(new WrkReport(1, 1, 0, null), new CpuLoad(3, 10, 100));
        runs.Add(new WrkReport(1, 1, 0, null), new CpuLoad(2, 30, 200));

        runs.Load.Should().Be(new CpuLoad(2, 20, 200));
        new Runs().Load.Should().BeNull();
        RunsOf(Flat(1)).Load.Should().Be(NoLoad, "a system without a load average has none");
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

    /// <summary>Creates results in which <c>/delay1ms</c> alone takes 1 ms, and the rate with a semaphore is 1.</summary>
    private static StepResults Measured(Latencies? scheduled, Latencies? small, double bigRate)
    {
        StepResults measured = new(10);
        measured.Alone.Add(new WrkReport(1, 1, 0, Flat(1)), NoLoad);
        measured.Scheduled.Add(RunsOf(scheduled).Reports[0], NoLoad);
        measured.Small.Add(RunsOf(small).Reports[0], NoLoad);
        measured.BigRate.Add(bigRate);
        measured.SemaphoreBigRate.Add(1);
        return measured;
    }

    private static string[] TargetRows(StepResults measured)
    {
        StringWriter output = new();
        TargetTable.Write(output, measured, Slice);
        return [.. output.ToString().Split(Environment.NewLine).Where(row => row.Contains(" at most ") || row.Contains(" at least "))];
    }

    private static string[] StepRows(StepResults measured)
    {
        StringWriter output = new();
        StepTable.Write(output, measured, new StepResults(100));
        return [.. output.ToString().Split(Environment.NewLine).Where(row => row.StartsWith('|'))];
    }
}
