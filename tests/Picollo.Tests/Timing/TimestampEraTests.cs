using Picollo.Timing;

namespace Picollo.Tests.Timing;

public class TimestampEraTests
{
    private const long From = 1_000;
    private const ulong OnePicosecond = 1UL << TickRatio.FractionBits;

    private readonly TimestampEra _era = new(TimestampSource.Counter, From, 3 * OnePicosecond, span: 500);

    [Theory]
    [InlineData(1_000, 1_499, 1_497UL)]
    [InlineData(1_200, 1_200, 0UL)]
    public void The_fast_path_converts_intervals_within_the_era_before_the_check(long start, long end, ulong expected)
    {
        _era.TryConvertFast(start, end, out ulong picoseconds).Should().BeTrue();
        picoseconds.Should().Be(expected);
    }

    [Theory]
    [InlineData(999, 1_200)] // before the era
    [InlineData(long.MinValue, 1_200)]
    [InlineData(1_200, 1_199)] // negative
    [InlineData(1_200, 1_500)] // a check is due
    [InlineData(1_200, long.MaxValue)]
    [InlineData(900, 950)]
    public void The_fast_path_rejects_all_other_intervals(long start, long end) =>
        _era.TryConvertFast(start, end, out _).Should().BeFalse();

    [Theory]
    [InlineData(1_200, 1_900, true, 2_100UL)]
    [InlineData(1_200, 1_199, true, 0UL)]
    [InlineData(999, 1_200, false, 0UL)]
    [InlineData(1_200, 999, false, 0UL)]
    [InlineData(1_200, CycleCalibrator.ClockMark + 1_300, false, 0UL)] // ends on the clock
    public void The_slow_path_reports_which_intervals_can_be_measured(long start, long end, bool expected, ulong expectedPicoseconds)
    {
        _era.TryConvert(start, end, out ulong picoseconds).Should().Be(expected);
        picoseconds.Should().Be(expectedPicoseconds);
    }

    [Fact]
    public void A_refined_ratio_and_a_new_check_time_take_effect()
    {
        _era.Refine(5 * OnePicosecond, recheckAt: 2_000);

        _era.TryConvertFast(1_200, 1_999, out ulong picoseconds).Should().BeTrue();
        picoseconds.Should().Be(5 * 799);
        _era.TryConvertFast(1_200, 2_000, out _).Should().BeFalse();
    }

    [Theory]
    [InlineData(long.MinValue, long.MinValue)]
    [InlineData(-5, 7)]
    [InlineData(0, long.MaxValue - 1)]
    [InlineData(long.MaxValue - 2, long.MaxValue - 1)]
    public void Without_a_counter_any_timestamp_is_valid(long start, long end)
    {
        var era = new TimestampEra(TimestampSource.Clock, long.MinValue, OnePicosecond, ulong.MaxValue);

        era.TryConvertFast(start, end, out ulong picoseconds).Should().BeTrue();
        picoseconds.Should().Be((ulong)((Int128)end - start));
    }

    [Fact]
    public void No_interval_is_measured_during_calibration()
    {
        var era = new TimestampEra(TimestampSource.None, From, OnePicosecond, span: 0);

        era.TryConvertFast(1_200, 1_300, out _).Should().BeFalse();
        era.TryConvert(1_200, 1_300, out _).Should().BeFalse();
    }
}
