using Picollo.Diagnostics.Commands.Linux;

namespace Picollo.Diagnostics.Tests;

public class CommandReportTests
{
    [Fact]
    public void A_wait_status_is_an_exit_code_or_a_signal()
    {
        foreach ((int status, int number, bool isSignal) in new[]
            { (0, 0, false), (7 << 8, 7, false), (255 << 8, 255, false), (9, 9, true), (11 | 0x80 /* with a core file */, 11, true), (64, 64, true) })
        {
            CommandEnd end = new CommandReport { Status = status }.ToEnd();
            (end.Status, end.IsSignal).Should().Be((number, isSignal));
        }
    }

    [Fact]
    public void Usage_before_the_start_is_subtracted_except_for_the_size()
    {
        CommandReport report = new() { StartNanoseconds = 100, EndNanoseconds = 350 };
        (report.UsageBefore.MinorFaults, report.Usage.MinorFaults) = (3, 10);
        (report.UsageBefore.MaxResidentKibibytes, report.Usage.MaxResidentKibibytes) = (40, 1000);
        (report.UsageBefore.User.Microseconds, report.Usage.User.Seconds) = (1, 2);
        (report.Usage.VoluntarySwitches, report.Usage.InvoluntarySwitches) = (4, 5);

        CommandEnd end = report.ToEnd();

        end.ElapsedNanoseconds.Should().Be(250);
        (end.Usage.MinorPageFaults, end.Usage.MaxResidentBytes, end.Usage.Cpu.UserNanoseconds).Should().Be((7, 1000 * 1024, 1_999_999_000));
        (end.Usage.VoluntaryContextSwitches, end.Usage.InvoluntaryContextSwitches).Should().Be((4, 5));
    }
}
