using Picollo.Samples.Top;

namespace Picollo.Samples.Tests.Top;

/// <summary>Tests the parsing of pages of <c>picollo top -b</c>.</summary>
public sealed class PicolloTopTests
{
    private const string Output = """
        top - 20:03:48 up 5 days, 14:53,  2 users,  load average: 0.65, 0.33, 0.20
        Tasks: 249 total,   2 running, 247 sleeping,   0 stopped,   0 zombie
        %Cpu(s): 55.2 us,  0.5 sy, 44.3 ni,  0.0 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st

          PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM %WAIT     TIME+ COMMAND
         3066 root      20   0  103040   8616    776 R 109.9   0.2  90.1   0:12.24 ackermann_multi
         3062 root      21   1  103040   8344    788 R  89.1   0.2 110.9   0:10.98 ackermann_multi
           30 root      20   0  103040   8344    788 R   0.1   0.2   0.0   0:10.98 ackermann_singl

        top - 20:03:49 up 5 days, 14:53,  2 users,  load average: 0.65, 0.33, 0.20
        %Cpu0  :100.0 us,  0.0 sy,  0.0 ni,  0.0 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st
        %Cpu1  :  1.0 us,  1.0 sy,  0.0 ni, 98.0 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st
        """;

    private static readonly TopPage[] Pages = TopPage.Split(Output.ReplaceLineEndings("\n").Split('\n'));

    [Fact]
    public void Output_is_divided_into_pages_with_states_and_rows()
    {
        Pages.Select(page => page.Lines.Count).Should().Equal(9, 3);
        Pages[0].PercentOf("us").Should().Equal(55.2);
        Pages[1].PercentOf("us").Should().Equal(100, 1);
        Pages[0].RowsOf("ackermann_multi").Select(row => Pages[0].Column(row, "PID")).Should().Equal("3066", "3062");
        Pages[0].RowsOf("ackermann_single").Should().ContainSingle().Which.Should().Be(Pages[0].RowOf(30));
        Pages[0].RowOf(306).Should().BeNull();
        string row = Pages[0].RowOf(3062)!;
        Pages[0].Column(row, "NI").Should().Be("1");
        Pages[0].Column(row, "TIME+").Should().Be("0:10.98");
        Pages[0].Column(row, "P").Should().BeNull();
        Pages[0].CpuOf(row).Should().Be(89.1);
        Pages[0].CpuOf(null).Should().Be(0);
    }
}
