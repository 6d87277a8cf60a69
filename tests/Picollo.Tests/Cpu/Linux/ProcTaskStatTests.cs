using System.Text;
using Picollo.Cpu;
using Picollo.Cpu.Linux;

namespace Picollo.Tests.Cpu.Linux;

public class ProcTaskStatTests
{
    /// <summary>Returns the line of process 2318: parent 2309, group 2310, 130 ticks in user mode, 20 in the kernel, niceness 5, 4 threads, started
    /// at tick 44449, last on CPU 1. The name, the state and the fields after the start can be chosen.</summary>
    internal static string Line(string name, string state = "R", string rest = "3133440 384 18446744073709551615 1 2 3 4 5 6 7 8 9 10 11 12 17 1 0 0 0") =>
        $"2318 ({name}) {state} 2309 2310 1807 0 -1 4194304 101 0 0 0 130 20 0 0 25 5 4 0 44449 {rest}\n";

    [Fact]
    public void Fields_follow_the_manual_page()
    {
        ProcTaskStat.TryParse(Bytes(Line("cat")), out ProcTaskStat stat).Should().BeTrue();

        Encoding.UTF8.GetString(stat.Name).Should().Be("cat");
        stat.State.Should().Be('R');
        (stat.ParentId, stat.ProcessGroup, stat.ForegroundGroup).Should().Be((2309, 2310, -1));
        stat.UserTicks.Should().Be(130);
        stat.KernelTicks.Should().Be(20);
        stat.Priority.Should().Be(25);
        stat.Nice.Should().Be(5);
        stat.ThreadCount.Should().Be(4);
        stat.StartTicks.Should().Be(44449);
        stat.LastCpu.Should().Be(1);
        stat.Usage.User.Should().Be(TimeSpan.FromSeconds(1.3));
        stat.Usage.Kernel.Should().Be(TimeSpan.FromSeconds(0.2));
        stat.LatestStartNanoseconds.Should().Be(444_499_999_999);
    }

    [Theory]
    [InlineData("a) R 1 (b")]
    [InlineData(") S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20")]
    [InlineData("two\nlines")]
    [InlineData("")]
    public void A_name_may_contain_any_characters(string name)
    {
        ProcTaskStat.TryParse(Bytes(Line(name)), out ProcTaskStat stat).Should().BeTrue();

        Encoding.UTF8.GetString(stat.Name).Should().Be(name);
        stat.StartTicks.Should().Be(44449);
    }

    [Fact]
    public void Bytes_that_are_not_UTF_8_are_kept()
    {
        byte[] line = Bytes(Line("ab"));
        line[6] = 0xFF;
        line[7] = 0xC3;

        ProcTaskStat.TryParse(line, out ProcTaskStat stat).Should().BeTrue();

        stat.Name.ToArray().Should().Equal(0xFF, 0xC3);
        new TaskNames().Get(stat.Name).Should().Be("\uFFFD\uFFFD");
    }

    [Fact]
    public void A_truncated_line_is_accepted_only_with_all_required_fields()
    {
        string line = Line("cat");
        int needed = line.IndexOf("44449 ", StringComparison.Ordinal) + "44449 ".Length;
        for (int length = 0; length < line.Length; length++)
        {
            ProcTaskStat.TryParse(Bytes(line[..length]), out ProcTaskStat stat).Should().Be(length >= needed, "it is {0}", line[..length]);
            if (length < line.Length - " 0 0 0\n".Length)
            {
                stat.LastCpu.Should().BeNull();
            }
        }
    }

    [Theory]
    [InlineData("")]
    [InlineData("1 cat R 1 2 3")]
    [InlineData("1 (cat) 5 2309 2309 1807 0 -1 4194304 101 0 0 0 130 20 0 0 20 0 1 0 44449 1\n")]
    [InlineData("1 (cat) R 2309 2309 1807 0 -1 4194304 101 0 0 0 -130 20 0 0 20 0 1 0 44449 1\n")]
    [InlineData("1 (cat) RS 2309 2309 1807 0 -1 4194304 101 0 0 0 130 20 0 0 20 0 1 0 44449 1\n")]
    [InlineData("1 (cat) R 2309 2309 1807 0 -1 4194304 101 0 0 0 130 20x 0 0 20 0 1 0 44449 1\n")]
    public void Invalid_lines_are_rejected(string text) => ProcTaskStat.TryParse(Bytes(text), out _).Should().BeFalse();

    [Fact]
    public void The_largest_numbers_are_clamped()
    {
        string line = Line("cat").Replace(" 130 20 ", " 18446744073709551615 18446744073709551615 ", StringComparison.Ordinal)
            .Replace("44449", "18446744073709551615", StringComparison.Ordinal);

        ProcTaskStat.TryParse(Bytes(line), out ProcTaskStat stat).Should().BeTrue();

        stat.Usage.TotalNanoseconds.Should().BeGreaterThan(long.MaxValue - 2);
        stat.LatestStartNanoseconds.Should().Be(long.MaxValue);
    }

    [Fact]
    public void Names_are_cached_with_a_limit()
    {
        var names = new TaskNames();
        string first = names.Get("kworker/0:1"u8);
        names.Get("kworker/0:1"u8).Should().BeSameAs(first);

        for (int i = 0; i < 10_000; i++)
        {
            names.Get(Bytes($"name{i}")).Should().Be($"name{i}");
        }

        names.Count.Should().BeLessThan(5_000);
        names.Get("kworker/0:1"u8).Should().Be(first);
        names.Get(new byte[3_000]).Should().HaveLength(255);
    }

    private static byte[] Bytes(string text) => Encoding.UTF8.GetBytes(text);
}
