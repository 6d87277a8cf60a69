using Picollo.Samples.Tokenizer;

namespace Picollo.Samples.Tests.Tokenizer;

public sealed class PassTimesTests
{
    [Fact]
    public void Median_minimum_and_deviation_are_those_of_the_passes()
    {
        PassTimes times = new();
        foreach (double nanoseconds in (double[])[100, 40, 120, 110])
        {
            times.Add(new Pass(nanoseconds, [nanoseconds], 0, new TokenCounts()));
        }

        times.Median.Should().Be(105);
        times.Minimum.Should().Be(40);
        times.RelativeDeviation.Should().Be(10 / 105.0, "the deviations are 5, 65, 15 and 5");
    }

    [Fact]
    public void The_fastest_time_of_each_chunk_is_summed()
    {
        PassTimes times = new();
        times.Add(new Pass(0, [10, 900, 30], 0, new TokenCounts()));
        times.Add(new Pass(0, [800, 20, 31], 0, new TokenCounts()));

        times.SumOfFastestChunks.Should().Be(60);
    }
}
