using Picollo.Cli.Top;

namespace Picollo.Cli.Tests.Top;

/// <summary>The order of the list.</summary>
public class TopListTests
{
    private static readonly TopSample Sample = ArtificialMachine.Create().With(
        ArtificialMachine.Process(30, "a", 0.1, 5) with { ResidentBytes = 3000, WaitShare = 0.3 },
        ArtificialMachine.Process(10, "b", 0.9, 1) with { ResidentBytes = 1000, WaitShare = 0.1 },
        ArtificialMachine.Process(20, "c", null, 9) with { ResidentBytes = null, WaitShare = null },
        ArtificialMachine.Process(40, "d", 0.1, 5) with { ResidentBytes = 2000, WaitShare = 0.3 });

    [Theory]
    [InlineData(nameof(TopSort.Cpu), 10, 30, 40, 20)]
    [InlineData(nameof(TopSort.Memory), 30, 40, 10, 20)]
    [InlineData(nameof(TopSort.Time), 20, 30, 40, 10)]
    [InlineData(nameof(TopSort.Pid), 40, 30, 20, 10)]
    [InlineData(nameof(TopSort.Wait), 30, 40, 10, 20)]
    public void Rows_are_sorted_in_descending_order_with_unknown_values_last_and_equal_values_by_ID(string sort, params int[] ids) =>
        Ids(Sample.Processes, Enum.Parse<TopSort>(sort)).Should().Equal(ids.Select(id => (long)id));

    [Fact]
    public void The_order_can_be_reversed()
    {
        Ids(Sample.Processes, TopSort.Cpu, isReversed: true).Should().Equal(20, 30, 40, 10);
        Ids(Sample.Processes, TopSort.Pid, isReversed: true).Should().Equal(10, 20, 30, 40);
    }

    [Fact]
    public void The_order_of_the_input_does_not_matter() => Seeded.Run(50, random =>
    {
        List<TopRow> rows = ArtificialMachine.Create().With([.. Enumerable.Range(1, 200).Select(id => ArtificialMachine.Process(id, "p", random.Next(4) / 4.0))]).Processes;
        long[] ids = Ids(rows, TopSort.Cpu);
        TopRow[] others = [.. rows];
        random.Shuffle(others);

        Ids([.. others], TopSort.Cpu).Should().Equal(ids);
    });

    [Theory]
    [InlineData("", 3)]
    [InlineData("DOTNET", 1)]
    [InlineData("root", 2)]
    [InlineData("serve", 1)]
    [InlineData("none", 0)]
    public void A_filter_selects_rows_by_command_or_user(string filter, int count)
    {
        TopRow[] rows =
        [
            new(ArtificialMachine.Process(1, "dotnet"), null, "root"),
            new(ArtificialMachine.Process(2, "nginx"), null, "Root"),
            new(ArtificialMachine.Process(3, "sh"), null, "web"),
        ];

        new TopList().Select([.. rows], new TopSettings { Filter = filter }, row => row.Id == 3 ? "serve all" : row.Name).Should().HaveCount(count);
    }

    private static long[] Ids(List<TopRow> rows, TopSort sort, bool isReversed = false) =>
        [.. new TopList().Select(rows, new TopSettings { Sort = sort, IsReversed = isReversed }, row => row.Name).Select(row => row.Id)];
}
