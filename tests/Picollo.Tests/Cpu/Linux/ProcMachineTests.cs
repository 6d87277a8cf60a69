using System.Text;
using Picollo.Cpu;
using Picollo.Cpu.Linux;

namespace Picollo.Tests.Cpu.Linux;

/// <summary>The contents of /proc/loadavg and /proc/pressure/cpu.</summary>
public class ProcMachineTests
{
    [Fact]
    public void A_load_average_has_three_numbers_and_the_numbers_of_threads()
    {
        ProcLoadAverage.TryParse("0.65 0.33 12.20 2/249 3797\n"u8, out LoadAverage average, out int? running, out int? threads).Should().BeTrue();

        average.Should().Be(new LoadAverage(0.65, 0.33, 12.2));
        (running, threads).Should().Be((2, 249));
    }

    [Theory]
    [InlineData("0.65 0.33 0.20\n", true)]
    [InlineData("0.65 0.33 0.20 2-249 1\n", true)]
    [InlineData("0.65 0.33 0.20 2/9999999999 1\n", true)]
    [InlineData("0.65 0.33 0.20", false)]
    [InlineData("0.65 0.33\n", false)]
    [InlineData("-0.65 0.33 0.20 2/249 3797\n", false)]
    [InlineData("NaN NaN NaN 2/249 3797\n", false)]
    [InlineData("", false)]
    public void Missing_parts_of_a_load_average_are_absent(string text, bool hasAverage)
    {
        ProcLoadAverage.TryParse(Encoding.ASCII.GetBytes(text), out _, out int? running, out int? threads).Should().Be(hasAverage);

        (running, threads).Should().Be((null, null));
    }

    [Fact]
    public void Pressure_is_read_as_shares_and_microseconds()
    {
        ProcPressure.TryParse("some avg10=1.50 avg60=0.75 avg300=100.00 total=1234567\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=7\n"u8, out CpuPressure some)
            .Should().BeTrue();

        some.Should().Be(new CpuPressure(0.015, 0.0075, 1, TimeSpan.FromMicroseconds(1_234_567)));
    }

    [Fact]
    public void Kernels_before_5_13_have_no_full_line()
    {
        ProcPressure.TryParse("some avg10=1.50 avg60=0.75 avg300=0.25 total=18446744073709551615\n"u8, out CpuPressure some).Should().BeTrue();

        some.Total.Should().BePositive();
    }

    [Theory]
    [InlineData("")]
    [InlineData("some avg10=1.50 avg60=0.75 avg300=0.25 total=12")]
    [InlineData("some avg10=1.50 avg60=0.75 total=12\n")]
    [InlineData("some avg10=x avg60=0.75 avg300=0.25 total=12\n")]
    [InlineData("full avg10=1.50 avg60=0.75 avg300=0.25 total=12\n")]
    public void Text_without_a_some_line_is_rejected(string text) =>
        ProcPressure.TryParse(Encoding.ASCII.GetBytes(text), out _).Should().BeFalse();
}
