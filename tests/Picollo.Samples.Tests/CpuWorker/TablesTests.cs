using Picollo.Samples.CpuWorker.Driving;

namespace Picollo.Samples.Tests.CpuWorker;

public sealed class TablesTests
{
    private const double Slice = 10;

    [Fact]
    public void Runs_are_summed_up_by_medians_and_the_maximum_of_all()
    {
        Runs runs = RunsOf(new Latencies(1, 20, 300, 4_000), new Latencies(3, 10, 200, 9_000), new Latencies(2, 30, 100, 5_000));

        runs.Latency.Should().Be(new Latencies(2, 20, 200, 9_000));
        new Runs().Latency.Should().BeNull();
    }

    [Fact]
    public void Ratios_are_of_runs_made_one_after_the_other()
    {
        Runs mine = RunsOf(Flat(2), Flat(30), Flat(4));
        Runs theirs = RunsOf(Flat(1), Flat(10), Flat(4));

        mine.RatioTo(theirs, one => one.P50).Should().Be(2, "the ratios are 2, 3 and 1");
    }

    [Fact]
    public void Each_target_is_met_at_its_limit()
    {
        string[] rows = TargetRows(Measured(beside: new(1.15, 1, 3, 1), small: new(2, 1, 15, 1), bigRate: 0.95));

        rows.Should().HaveCount(5).And.OnlyContain(row => row.EndsWith(" met     |"));
    }

    [Fact]
    public void Each_target_is_missed_beyond_its_limit()
    {
        string[] rows = TargetRows(Measured(beside: new(1.16, 1, 3.01, 1), small: new(2.01, 1, 15.01, 1), bigRate: 0.949));

        rows.Should().HaveCount(5).And.OnlyContain(row => row.EndsWith(" MISSED  |"));
    }

    [Fact]
    public void What_was_not_answered_is_missed()
    {
        string[] rows = TargetRows(Measured(beside: null, small: null, bigRate: double.NaN));

        rows.Should().HaveCount(5).And.OnlyContain(row => row.EndsWith(" MISSED  |"));
    }

    [Fact]
    public void The_document_s_figures_stand_beside_those_of_each_step()
    {
        string[] rows = StepRows(Measured(beside: Flat(1), small: Flat(1), bigRate: 1));

        rows.Where(row => row.Contains("document, 100")).Should().HaveCount(5);
        rows.Should().ContainSingle(row => row.StartsWith("| 2:") && row.Contains("document")).Which.Should().MatchRegex(@" 293 \| +454 \| +615 \| +1,038 \| +317 \|$");
        rows.Should().ContainSingle(row => row.Contains("small checksum") && row.Contains("document")).Which.Should().MatchRegex(@" 3\.00 \| +11\.00 \| +12\.00 \| +13\.00 \| +21,334 \|$");
    }

    [Fact]
    public void A_step_without_answers_shows_none_and_one_that_was_not_made_has_no_row()
    {
        StepResults measured = Measured(beside: Flat(1), small: Flat(1), bigRate: 1);
        measured.Unscheduled.Add(new WrkReport(0, 0, 7, null));

        string[] rows = StepRows(measured);

        rows.Should().ContainSingle(row => row.StartsWith("| 2:") && row.Contains("here")).Which
            .Should().Contain("here, 10, 7 failed").And.MatchRegex(@"none \| +none \| +none \| +none \| +0 \|$");
        rows.Should().NotContain(row => row.Contains("delay1msLoop"));
    }

    [Fact]
    public void Both_tables_are_printed_as_in_the_golden_file()
    {
        StepResults at10 = Golden(10);
        StepResults at100 = new(100);
        at100.Alone.Add(new WrkReport(9, 23_303.6, 0, new(3.96, 5.1, 10.49, 17.6)));
        at100.Unscheduled.Add(new WrkReport(0, 0, 0, null));
        StringWriter output = new();

        StepTable.Write(output, at10, at100);
        TargetTable.Write(output, at10, Slice);

        using StreamReader golden = new(typeof(TablesTests).Assembly.GetManifestResourceStream("CpuWorkerTables.txt")!);
        output.ToString().ReplaceLineEndings("\n").Should().Be(golden.ReadToEnd().ReplaceLineEndings("\n"));
    }

    /// <summary>Each of its figures is another.</summary>
    private static StepResults Golden(int concurrency)
    {
        StepResults all = new(concurrency);
        Runs[] runs =
        [
            all.Alone, all.Unscheduled, all.Scheduled, all.SemaphoreScheduled, all.AmpleSemaphoreScheduled, all.BesideBoth, all.SemaphoreBesideBoth,
            all.Small, all.SemaphoreSmall, all.Loop, all.LoopInPool,
        ];
        for (int i = 0; i < runs.Length; i++)
        {
            runs[i].Add(new WrkReport(1_000, 1_000.4 + i, i == 1 ? 5 : 0, new(1.5 + (i / 100.0), 12.345 + i, 100.4 + i, 12_345 + i)));
        }

        all.BigRate.AddRange([4, 5]);
        all.SemaphoreBigRate.AddRange([5, 5]);
        all.AmpleSemaphoreBigRate.AddRange([4, 4]);
        all.BigRateBesideSmall.AddRange([1, 2]);
        all.SemaphoreBigRateBesideSmall.AddRange([4.5, 4.75]);
        all.SmallInPool.AddRange([new(1, 2, 12, 20), new(1.5, 3, 14, 30)]);
        return all;
    }

    private static Latencies Flat(double milliseconds) => new(milliseconds, milliseconds, milliseconds, milliseconds);

    private static Runs RunsOf(params Latencies?[] latencies)
    {
        Runs runs = new();
        Array.ForEach(latencies, latency => runs.Add(new WrkReport(latency is null ? 0 : 1, 1, 0, latency)));
        return runs;
    }

    /// <summary>Beside an alone of 1 ms and a cap's rate of 1.</summary>
    private static StepResults Measured(Latencies? beside, Latencies? small, double bigRate)
    {
        StepResults measured = new(10);
        measured.Alone.Add(new WrkReport(1, 1, 0, Flat(1)));
        measured.Scheduled.Add(RunsOf(beside).Reports[0]);
        measured.Small.Add(RunsOf(small).Reports[0]);
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
