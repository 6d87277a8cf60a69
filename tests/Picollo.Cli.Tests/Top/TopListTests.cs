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
        (string.Join(' ', Ids(Sample.Processes, Enum.Parse<TopSort>(sort))), Ids(Sample.Processes, TopSort.Cpu, isReversed: true)[0])
            .Should().Be((string.Join(' ', ids), 20L));

    [Fact]
    public void A_filter_selects_rows_by_command_or_user()
    {
        List<TopRow> rows = [new(ArtificialMachine.Process(1, "dotnet"), null, "root"), new(ArtificialMachine.Process(2, "nginx"), null, "Root"), new(ArtificialMachine.Process(3, "sh"), null, "web")];

        ((string[])["", "DOTNET", "root", "serve", "none"])
            .Select(filter => new TopList().Select([.. rows], new TopSettings { Filter = filter }, row => row.Id == 3 ? "serve all" : row.Name).Count)
            .Should().Equal(3, 1, 2, 1, 0);
    }

    private static long[] Ids(List<TopRow> rows, TopSort sort, bool isReversed = false) =>
        [.. new TopList().Select(rows, new TopSettings { Sort = sort, IsReversed = isReversed }, row => row.Name).Select(row => row.Id)];
}
