using Picollo.Samples.Top;

namespace Picollo.Samples.Tests.Top;

/// <summary>Tests the parts of the experiments. The measured values depend on other work of the machine, and are not tested.</summary>
public sealed class ExperimentTests
{
    [Fact]
    public void Weights_predict_the_shares_of_the_document()
    {
        Niceness.ShareAgainst(0, 1).Should().BeApproximately(0.555, 0.001);
        Niceness.ShareAgainst(-20, 19).Should().BeApproximately(0.9998, 0.0001);
        Niceness.ShareAgainst(5, 5).Should().Be(0.5);
        for (int nice = Niceness.Lowest; nice < Niceness.Highest; nice++)
        {
            ((double)Niceness.WeightOf(nice) / Niceness.WeightOf(nice + 1)).Should().BeApproximately(1.25, 0.08);
        }
    }

    [Fact]
    public void The_load_average_approaches_the_number_of_threads()
    {
        LoadAverages.After(before: 3, running: 7, TimeSpan.Zero).Should().Be(3);
        LoadAverages.After(before: 0, running: 2, TimeSpan.FromMinutes(1)).Should().BeApproximately(2 * (1 - (1 / Math.E)), 1e-9);
        LoadAverages.After(before: 5, running: 1, TimeSpan.FromHours(1)).Should().BeApproximately(1, 1e-9);
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void A_niceness_is_clamped_and_permitted_if_a_program_gets_it()
    {
        Clamping.NiceOf(20).Should().Be(Niceness.Highest);
        Niceness.IsPermitted(19, out _).Should().BeTrue();
        try
        {
            Clamping.NiceOf(-21).Should().Be(Niceness.Lowest);
            Niceness.IsPermitted(-1, out _).Should().BeTrue();
        }
        catch (WorkerException e)
        {
            e.Message.Should().Be("niceness -21 requires root or CAP_SYS_NICE");
            Niceness.IsPermitted(-21, out string? reason).Should().BeFalse();
            reason.Should().Be(e.Message);
        }
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void A_program_is_on_a_page_of_picollo_top_with_its_name_and_niceness()
    {
        WatchedRun run = WatchedRun.Of(new AckermannProgram(IsMulti: true, 12), nice: 7, "-d", "0.1");

        run.Lines.Should().HaveCount((2 * 13) + 3);
        string row = run.Busiest.RowsOf(AckermannProgram.MultiName).Should().ContainSingle(row => row == run.Busiest.RowOf(run.Id)).Which;
        run.Busiest.Column(row, "NI").Should().Be("7");
        run.Busiest.Column(row, "PR").Should().Be("27");
        run.Busiest.CpuOf(row).Should().BePositive();
        run.Busiest.PercentOf("ni").Should().ContainSingle().Which.Should().BePositive();
        run.Times.User.Should().BePositive();
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void Experiment_3_prints_both_orders_of_each_pair_or_the_reason_for_skipping_it()
    {
        using StringWriter output = new();

        Shares.Run(output, largest: 10);

        string text = output.ToString().ReplaceLineEndings("\n");
        bool isRoot = Niceness.IsPermitted(-20, out string? reason);
        foreach ((int low, int high) in new[] { (-20, 19), (0, 1), (-1, 0) })
        {
            if (low < 0 && !isRoot)
            {
                text.Should().Contain($"Niceness {low} and {high} skipped: niceness {low} requires root or CAP_SYS_NICE.");
                continue;
            }

            text.Should().Contain($"---- niceness {low}, then {high}\n").And.Contain($"---- niceness {high}, then {low}\n");
        }

        int runs = isRoot ? 12 : 4;
        text.Split("\n$ time nice -n ").Should().HaveCount(runs + 1);
        text.Split("\nreal\t").Should().HaveCount(runs + 1);
        text.Split("of its 25 lines before the program with niceness").Should().HaveCount((runs / 2) + 1);
        MarkdownRows.Of(output.ToString().Split(Environment.NewLine)).Row("0 against 1, started first")[3..5].Should().Equal("55", "55.5");
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void Experiment_1_prints_the_output_of_the_program_its_table_and_a_page_of_picollo_top()
    {
        using StringWriter output = new();

        OneProgram.Run(output, new AckermannProgram(IsMulti: false, 13), new("50.5", "0.5", "0.0", "49.0", "100.0", "1.0", "99.9", "35 s", "", "", ""));

        string[] lines = output.ToString().Split(Environment.NewLine);
        lines[0].Should().Be("$ ./ackermann_single");
        lines[1..15].Should().OnlyContain(line => line.Contains(" Calculated `ackermann(3, "));
        MarkdownRows.Of(lines).Row("us, mean of all CPUs")[1].Should().Be("50.5", "this is the document's figure");
        lines.Where(line => line.StartsWith("%Cpu0 ")).Should().ContainSingle();
        lines.Should().Contain(line => line.EndsWith(" ackermann_singl"));
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void A_named_experiment_prints_its_table_with_the_column_of_the_document()
    {
        using StringWriter output = new();

        Program.Run(["clamp"], output).Should().Be(0);

        string[][] rows = MarkdownRows.Of(output.ToString().Split(Environment.NewLine));
        rows.Row("requested").Should().Equal("requested", "document", "measured");
        rows.Row("20")[1..].Should().Equal("19", "19");
        rows.Row("-21")[1].Should().Be("-20");
        output.ToString().Should().Contain("==== clamp").And.NotContain("==== shares");
        using StringWriter unknown = new();
        Program.Run(["clamp", "nothing"], unknown).Should().Be(2);
        unknown.ToString().Should().StartWith("Unknown experiment 'nothing'").And.Contain("  ackermann_single [13]").And.Contain("  ackermann_multi [13]");
        Experiment.All.Should().OnlyContain(experiment => unknown.ToString().Contains($"  {experiment.Name} "));
    }
}
