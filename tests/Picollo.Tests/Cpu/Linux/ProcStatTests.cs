using System.Text;
using Picollo.Cpu;
using Picollo.Cpu.Linux;

namespace Picollo.Tests.Cpu.Linux;

public class ProcStatTests
{
    [Fact]
    public void States_are_in_ticks_of_10_ms_and_guests_are_counted_once()
    {
        SystemCpuSample sample = Parse("cpu  1000 200 300 4000 50 7 10 5 400 150\ncpu12 1 2 3 4 5 6 7 8 0 0\n");

        CpuStateTimes total = sample.Total;
        (total[CpuState.User], total[CpuState.Nice], total[CpuState.System], total[CpuState.Idle]).Should().Be((Ticks(600), Ticks(50), Ticks(300), Ticks(4000)));
        (total[CpuState.IOWait], total[CpuState.HardIrq], total[CpuState.SoftIrq], total[CpuState.Steal]).Should().Be((Ticks(50), Ticks(7), Ticks(10), Ticks(5)));
        (total[CpuState.Guest], total[CpuState.GuestNice]).Should().Be((Ticks(400), Ticks(150)));
        sample.Cpus.Single().Cpu.Should().Be(12);
        sample.Cpus.Single().Times[CpuState.Steal].Should().Be(Ticks(8));
        sample.RunQueue.Should().BeNull();
    }

    [Fact]
    public void Old_kernels_have_fewer_states()
    {
        CpuStateTimes total = Parse("cpu 1000 200 300 4000\n").Total;

        total[CpuState.Idle].Should().Be(Ticks(4000));
        total[CpuState.IOWait].Should().BeNull();
        total[CpuState.Guest].Should().BeNull();
    }

    [Fact]
    public void Additional_columns_are_ignored() =>
        Parse("cpu 1 2 3 4 5 6 7 8 0 0 11 12\n").Total.Should().Be(Parse("cpu 1 2 3 4 5 6 7 8 0 0\n").Total);

    [Fact]
    public void The_run_queue_is_read_from_the_same_file()
    {
        Parse(CapturedRoot.TwoCpus).RunQueue.Should().Be(new RunQueueState(3, 1, null));
        Parse("cpu 1 2 3 4\nprocs_running -1\nprocs_blocked 99999999999\n").RunQueue.Should().BeNull();
    }

    [Theory]
    [InlineData("")]
    [InlineData("cpu 1 2 3 4", "a number at the end of the text may be truncated")]
    [InlineData("cpu 1 2 3\n", "every kernel has at least four")]
    [InlineData("cpu -1 2 3 4\n")]
    [InlineData("cpu a b c d\n")]
    [InlineData("cpu0 1 2 3 4\n", "one CPU is not the total")]
    public void Text_without_a_line_for_all_CPUs_is_rejected(string text, string because = "")
    {
        var sample = new SystemCpuSample();
        ProcStat.TryParse(Encoding.ASCII.GetBytes(text), sample).Should().BeFalse(because);
        sample.Total.Should().Be(default(CpuStateTimes));
    }

    [Fact]
    public void The_CPUs_before_the_end_of_a_truncated_file_are_read()
    {
        SystemCpuSample sample = Parse("cpu  10 20 30 40 50 60 70 80 0 0\ncpu0 1 2 3 4 5 6 7 8 0 0\ncpu1 1 2 3 4 5 6");

        sample.Cpus.Select(cpu => cpu.Cpu).Should().Equal(0);
    }

    [Fact]
    public void The_largest_numbers_are_clamped()
    {
        SystemCpuSample sample = Parse("cpu 18446744073709551615 0 9223372036854775808 1844674407370955161 0 0 0 0 0 0\n");

        sample.Total[CpuState.User].Should().BeGreaterThan(TimeSpan.FromDays(365 * 292));
        sample.Total[CpuState.System].Should().Be(sample.Total[CpuState.User]);
        CpuStates.Between(null, default(CpuStateTimes).With(CpuState.User, 0), sample.Total).User.Should().Be(1);
    }

    [Fact]
    public void User_time_is_not_negative_if_the_guest_time_is_greater() => Parse("cpu 100 0 0 1 0 0 0 0 101 5\n").Total[CpuState.User].Should().Be(TimeSpan.Zero);

    private static TimeSpan? Ticks(long ticks) => TimeSpan.FromMilliseconds(10 * ticks);

    private static SystemCpuSample Parse(string text)
    {
        var sample = new SystemCpuSample();
        ProcStat.TryParse(Encoding.ASCII.GetBytes(text), sample).Should().BeTrue();
        return sample;
    }
}
