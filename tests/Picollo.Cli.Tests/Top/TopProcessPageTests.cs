using Picollo.Cli.Top;
using Picollo.Cpu;
using Picollo.Metrics;

namespace Picollo.Cli.Tests.Top;

public class TopProcessPageTests
{
    private const uint PercentSteps = (uint)CpuHistory.StepsPerCpu / 100;

    [Fact]
    public void A_page_shows_the_session_and_the_threads_of_a_process()
    {
        HdrHistogram shares = HdrHistogram.Factory.WithRelativeError(0.01).Create();
        foreach ((uint percent, ulong milliseconds) in ((uint, ulong)[])[(0, 6_000), (1, 500), (3, 2_000), (75, 1_480), (150, 20)])
        {
            shares.Record(percent * PercentSteps, milliseconds);
        }

        Render(Server(), ["server", "--name", "\e[2J\nx"], shares, 80).ShouldBeApproved("Top/Golden/process.txt");
    }

    [Fact]
    public void A_long_command_is_wrapped_and_truncated()
    {
        string page = Render(Server(), ["server", new string('x', 1000)], null, 40);

        page.Split('\n')[1..6].Should().Equal($"server {new string('x', 33)}", new string('x', 40), new string('x', 40), new string('x', 40), "now: 12.3 %CPU, 4.5 %WAIT; 1:05.50 of CPU time since its start");
        page.Should().Contain("\nno CPU shares measured yet\n");
        Render(Server(), [], null, 80).Should().Contain("\n[server]\n", "it has no command line");
    }

    private static ProcessCpu Server() => ArtificialMachine.Process(1234, "server", 0.123, 65.5) with { WaitShare = 0.045 };

    private static string Render(ProcessCpu process, string[] words, HdrHistogram? shares, int columns)
    {
        TopRow row = new(process, null, "root");
        TopRow[] threads =
        [
            row with { Thread = new ThreadCpu { Id = 1234, Name = "server", State = 'S', Share = 0.023, WaitShare = 0.005, Usage = new CpuUsage(62_500_000_000, 0) } },
            row with { Thread = new ThreadCpu { Id = 1235, Name = "\e]0;x\a", State = 'S' } },
            row with { Thread = new ThreadCpu { Id = 1236, Name = ".NET TP Worker", State = 'R', Share = 0.1, WaitShare = 0.04, Usage = new CpuUsage(3_000_000_000, 0) } },
        ];
        return TopProcessPage.Render(row, threads, words, shares, columns).Text();
    }
}
