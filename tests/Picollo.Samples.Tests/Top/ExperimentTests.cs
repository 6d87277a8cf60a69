using Picollo.Samples.Top;

namespace Picollo.Samples.Tests.Top;

/// <summary>That the experiments' parts make sense; what they measure depends on what else the machine does.</summary>
public sealed class ExperimentTests
{
    [Fact]
    public void Weights_predict_what_the_document_saw()
    {
        Niceness.ShareAgainst(0, 1).Should().BeApproximately(0.555, 0.001);
        Niceness.ShareAgainst(-1, 0).Should().BeApproximately(0.555, 0.001);
        Niceness.ShareAgainst(-20, 19).Should().BeApproximately(0.9998, 0.0001);
        Niceness.ShareAgainst(5, 5).Should().Be(0.5);
    }

    [Fact]
    public void Each_weight_is_about_a_quarter_more_than_the_next()
    {
        for (int nice = Niceness.Lowest; nice < Niceness.Highest; nice++)
        {
            ((double)Niceness.WeightOf(nice) / Niceness.WeightOf(nice + 1)).Should().BeApproximately(1.25, 0.08);
        }
    }

    [Fact]
    public void The_load_average_closes_in_on_the_number_of_threads()
    {
        LoadAverages.After(before: 3, running: 7, TimeSpan.Zero).Should().Be(3);
        LoadAverages.After(before: 0, running: 2, TimeSpan.FromMinutes(1)).Should().BeApproximately(2 * (1 - (1 / Math.E)), 1e-9);
        LoadAverages.After(before: 5, running: 1, TimeSpan.FromHours(1)).Should().BeApproximately(1, 1e-9);
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void Niceness_beyond_the_range_is_clamped()
    {
        Clamping.NiceOf(20).Should().Be(Niceness.Highest);
        try
        {
            Clamping.NiceOf(-21).Should().Be(Niceness.Lowest);
        }
        catch (WorkerException e)
        {
            e.Message.Should().Be("niceness -21 needs root or CAP_SYS_NICE");
        }
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void The_time_of_a_niced_program_is_counted_as_nice()
    {
        AloneRun run = AloneRun.Of(new WorkerOptions(Threads: 2, Nice: 10), TimeSpan.FromSeconds(1));

        run.Process.Nice.Should().Be(10);
        run.ComputingThreads.Should().Contain(thread => thread.Name == "ackermann-0").And.Contain(thread => thread.Name == "ackermann-1");
        run.Process.Share.Should().BePositive();
        // The kernel counts the states by ticks and the program's time exactly, so they differ.
        (run.Cpu.Total.Nice * run.Cpu.Cpus.Count).Should().BeGreaterThan(run.Process.Share!.Value / 2);
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void A_program_that_ran_alone_has_its_time_told_to_its_parent()
    {
        AloneRun run = AloneRun.Of(new WorkerOptions(Rounds: 1), TimeSpan.FromMilliseconds(100));

        run.Used!.Value.UserNanoseconds.Should().BePositive();
        run.Used.Value.Total.Should().BeGreaterThan(run.Process.Usage.Total, "it went on after it was looked at");
        run.Cpu.Cpus.Should().HaveCountGreaterThan(0).And.OnlyContain(cpu => cpu.HasShares);
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void Of_two_programs_on_one_CPU_the_less_nice_one_gets_more()
    {
        Contest contest = Contest.Of(winnersNice: 0, losersNice: 10, rounds: 1, TimeSpan.FromMilliseconds(400));

        contest.WinnersShare.Should().BeInRange(0.5, 1, "by weight it would be 0.9");
        contest.Winner.InWindow.Should().BePositive();
        contest.Winner.Nice.Should().Be(0);
        contest.Loser.Nice.Should().Be(10);
        contest.Loser.Real.Should().BePositive();
        contest.States.Cpu.Should().NotBeNull();
        (contest.Winner.Used is null).Should().Be(contest.Loser.Used is null);
        if (contest.Winner.Used is { } used)
        {
            used.Total.Should().BeGreaterThan(contest.Winner.AtStart);
        }
    }

    [Fact]
    public void Tasks_print_as_top_prints_them()
    {
        using StringWriter output = new();
        TopView.Print(output,
        [
            new TaskLine(3829, 20, 0, 'R', 0.99, TimeSpan.FromMilliseconds(7_770), 1, "ackermann_multi"),
            new TaskLine(1234567, 0, -20, 'S', 1.9802, TimeSpan.FromSeconds(3_725.019), 11, "a\u001bb"),
            new TaskLine(1, null, null, null, null, TimeSpan.Zero, null, "unknown"),
        ]);

        output.ToString().ReplaceLineEndings("\n").Should().Be("""
                PID  PR  NI S  %CPU     TIME+  P COMMAND
               3829  20   0 R  99.0   0:07.77  1 ackermann_multi
            1234567   0 -20 S 198.0  62:05.01 11 a?b
                  1   -   - -     -   0:00.00  - unknown

            """.ReplaceLineEndings("\n"));
    }

    [Fact]
    public void An_unknown_experiment_is_answered_with_the_names()
    {
        using StringWriter output = new();

        Program.Run(["clamp", "nothing"], output).Should().Be(2);

        output.ToString().Should().StartWith("There is no experiment 'nothing'");
        Experiment.All.Should().OnlyContain(experiment => output.ToString().Contains($"  {experiment.Name} "));
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void A_named_experiment_prints_its_table_with_the_document_s_column()
    {
        using StringWriter output = new();

        Program.Run(["clamp"], output).Should().Be(0);

        string[][] rows = MarkdownRows.Of(output.ToString().Split(Environment.NewLine));
        rows.Row("asked").Should().Equal("asked", "document", "here");
        rows.Row("20")[1..].Should().Equal("19", "19");
        rows.Row("-21")[1].Should().Be("-20");
        output.ToString().Should().Contain("==== clamp").And.NotContain("==== shares");
    }

    [Fact]
    public void Shares_and_times_print_as_top_has_them()
    {
        TopView.Percent(0.12345).Should().Be("12.3");
        TopView.Percent(null).Should().Be("-");
        TopView.Time(TimeSpan.FromHours(2)).Should().Be("120:00.00");
    }
}
