using System.Globalization;
using Picollo.Cpu;

namespace Picollo.Tests.Cpu;

public sealed class CpuUsageTests
{
    private static readonly CpuUsage Sample = new(userNanoseconds: 12_001_000, kernelNanoseconds: 344_000);

    [Fact]
    public void Shares_are_fractions_of_the_total()
    {
        (Sample.TotalNanoseconds, Sample.User, Sample.Kernel)
            .Should().Be((12_345_000, TimeSpan.FromMicroseconds(12_001), TimeSpan.FromMicroseconds(344)));
        (new CpuUsage(750, 250).UserShare, new CpuUsage(750, 250).KernelShare).Should().Be((0.75, 0.25));
        (default(CpuUsage).UserShare, default(CpuUsage).KernelShare).Should().Be((0, 0));
    }

    [Fact]
    public void Time_spans_are_truncated_to_100_ns()
    {
        var usage = new CpuUsage(199, 99);
        usage.User.Ticks.Should().Be(1);
        usage.Kernel.Ticks.Should().Be(0);
        usage.Total.Ticks.Should().Be(2, "the sum of 298 ns is truncated, not its parts");
    }

    [Fact]
    public void Sum_treats_user_and_kernel_time_separately()
    {
        CpuUsage.Sum([new(10, 7), new(4, 2), new(-1, 0)]).Should().Be(new CpuUsage(13, 9));
        CpuUsage.Sum([]).Should().Be(default(CpuUsage));
        FluentActions.Invoking(() => CpuUsage.Sum(null!)).Should().Throw<ArgumentNullException>().WithParameterName("usages");
    }

    [Fact]
    public void Subtraction_is_the_inverse_of_addition_and_of_sums() => Seeded.Run(200, random =>
    {
        CpuUsage[] usages = [.. Enumerable.Range(0, random.Next(1, 9)).Select(_ => new CpuUsage(random.NextInt64(), random.NextInt64()))];
        CpuUsage sum = CpuUsage.Sum(usages);

        (sum - usages[0]).Should().Be(CpuUsage.Sum(usages[1..]));
        (sum - usages[0] + usages[0]).Should().Be(sum);
        CpuUsage.Sum(usages.Reverse()).Should().Be(sum);
    });

    [Fact]
    public void Usages_are_ordered_by_total_and_then_by_user_time()
    {
        CpuUsage[] ordered = [new(-1, 0), new(0, 0), new(0, 5), new(2, 3), new(5, 0), new(0, 6)];
        for (int i = 0; i < ordered.Length; i++)
        {
            for (int j = 0; j < ordered.Length; j++)
            {
                (CpuUsage left, CpuUsage right) = (ordered[i], ordered[j]);
                Math.Sign(left.CompareTo(right)).Should().Be(Math.Sign(i.CompareTo(j)), $"{left} and {right}");
                (left < right).Should().Be(i < j);
                (left <= right).Should().Be(i <= j);
                (left > right).Should().Be(i > j);
                (left >= right).Should().Be(i >= j);
                (left == right).Should().Be(i == j);
                (left != right).Should().Be(i != j);
                left.Equals((object)right).Should().Be(i == j);
            }
        }

        new CpuUsage(3, 4).GetHashCode().Should().Be(new CpuUsage(3, 4).GetHashCode());
        new CpuUsage(3, 4).Equals("3, 4").Should().BeFalse();
    }

    [Theory]
    [InlineData(0, 0, "0 ns (user 0 ns, kernel 0 ns)")]
    [InlineData(999, 1, "1.000 µs (user 0.999 µs, kernel 0.001 µs)")]
    [InlineData(1_000_000, 0, "1.000 ms (user 1.000 ms, kernel 0.000 ms)")]
    [InlineData(12_001_000, 344_000, "12.345 ms (user 12.001 ms, kernel 0.344 ms)")]
    [InlineData(1_500_000_000, 500_000_000, "2.000 s (user 1.500 s, kernel 0.500 s)")]
    [InlineData(-2_000, -500, "-2.500 µs (user -2.000 µs, kernel -0.500 µs)")]
    [InlineData(3_600_000_000_000, 0, "3600.000 s (user 3600.000 s, kernel 0.000 s)")]
    public void Text_is_in_the_unit_that_suits_the_total(long user, long kernel, string text) =>
        new CpuUsage(user, kernel).ToString().Should().Be(text);

    [Theory]
    [InlineData("s", "0.012 s (user 0.012 s, kernel 0.000 s)")]
    [InlineData("ms", "12.345 ms (user 12.001 ms, kernel 0.344 ms)")]
    [InlineData("us", "12345.000 µs (user 12001.000 µs, kernel 344.000 µs)")]
    [InlineData("ns", "12345000 ns (user 12001000 ns, kernel 344000 ns)")]
    [InlineData("G", "12.345 ms (user 12.001 ms, kernel 0.344 ms)")]
    public void Text_has_the_requested_unit(string format, string text)
    {
        var comma = new NumberFormatInfo { NumberDecimalSeparator = ",", NegativeSign = "minus" };
        Sample.ToString(format, comma).Should().Be(text);
        string.Format(CultureInfo.InvariantCulture, "{0:" + format + "}", Sample).Should().Be(text);
    }

    [Theory]
    [InlineData("0.0")]
    public void Unknown_formats_are_rejected_and_named(string format) =>
        FluentActions.Invoking(() => Sample.ToString(format, null)).Should().Throw<FormatException>().WithMessage($"*\"{format}\"*");

    [Theory]
    [InlineData(long.MinValue, 0)]
    [InlineData(long.MaxValue, 0)]
    public void The_longest_text_fits_into_the_buffer(long user, long kernel)
    {
        foreach (string unit in (string[])["s", "ms", "us", "ns"])
        {
            new CpuUsage(user, kernel).ToString(unit, null).Should().EndWith(")");
        }
    }

    [Fact]
    public void A_buffer_that_is_too_short_returns_false()
    {
        string text = Sample.ToString();
        Span<char> exact = stackalloc char[text.Length];
        Sample.TryFormat(exact, out int written, default, null).Should().BeTrue();
        written.Should().Be(text.Length);
        exact.ToString().Should().Be(text);

        Sample.TryFormat(exact[..^1], out written, default, null).Should().BeFalse();
        written.Should().Be(0);
    }

    [Fact]
    public void Formatting_into_a_buffer_does_not_allocate()
    {
        char[] buffer = new char[200];
        foreach (string unit in (string[])["s", "ms", "us", "ns"])
        {
            Allocations.InSteadyState(() => Sample.TryFormat(buffer, out _, unit, null)).Should().Be(0, unit);
        }
    }
}
