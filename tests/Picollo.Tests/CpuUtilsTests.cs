namespace Picollo.Tests;

public class CpuUtilsTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(1000)]
    public void Every_addition_of_the_chain_is_done(int rounds)
    {
        ulong step = (ulong)rounds, expected = 0;
        for (int i = 0; i < rounds * 256; i++)
        {
            expected += step;
        }

        CpuUtils.AddChain256(rounds).Should().Be(expected);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    [InlineData(int.MinValue)]
    public void No_rounds_do_nothing(int rounds) => CpuUtils.AddChain256(rounds).Should().Be(0);
}
