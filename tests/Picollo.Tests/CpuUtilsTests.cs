using Picollo.Cpu;
using Picollo.Cpu.Linux;

namespace Picollo.Tests;

/// <summary>Each pinning is done on a new thread, because it is not undone.</summary>
public class CpuUtilsTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(1000)]
    public void AddChain_executes_every_addition(int blocks)
    {
        CpuUtils.AddChain256(blocks).Should().Be(Sum(blocks * 256));
        CpuUtils.AddChain512(blocks).Should().Be(Sum(blocks * 512));

        ulong Sum(int additions)
        {
            ulong step = (ulong)blocks, sum = 0;
            for (int i = 0; i < additions; i++)
            {
                sum += step;
            }

            return sum;
        }
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    [InlineData(int.MinValue)]
    public void AddChain_without_blocks_returns_0(int blocks)
    {
        CpuUtils.AddChain256(blocks).Should().Be(0);
        CpuUtils.AddChain512(blocks).Should().Be(0);
    }

    [Fact]
    public void WarmupCpu_returns_a_plausible_frequency() => CpuUtils.WarmupCpu().Should().BeInRange(10e6, 100e9);

    [Fact]
    public void GetOsThreadId_equals_the_ID_of_the_readers() => NewThread.Run(() =>
    {
        ((long)CpuUtils.GetOsThreadId()).Should().Be(CpuUsageReader.GetThreadId()).And.BePositive();
    });

    [FactNeeding(Need.Linux)]
    public void A_pinned_thread_remains_on_its_CPU() => NewThread.Run(() =>
    {
        int[] permitted = CpuMask.Get(thread: 0)!;
        Span<byte> text = stackalloc byte[ProcTaskStat.MaxLength];
        foreach (int cpu in permitted)
        {
            CpuUtils.PrepareBenchmarkThread(cpu, out string? notDone).Should().BeTrue();
            CpuMask.Get(thread: 0).Should().Equal(cpu);
            ((int)CpuUtils.GetCpu()).Should().Be(cpu);

            // The niceness is field 19 of the thread's stat file. A negative niceness needs a right that not every user has.
            ProcTaskStat.TryRead((int)CpuUsageReader.GetThreadId(), text, out ProcTaskStat stat).Should().BeTrue();
            (notDone is null).Should().Be(stat.Nice == -20);
            notDone?.Should().StartWith("The thread's niceness is ").And.Contain("CAP_SYS_NICE");
        }
    });

    [Fact]
    public void A_nonexistent_CPU_is_reported_and_a_negative_one_rejected() => NewThread.Run(() =>
    {
        FluentActions.Invoking(() => CpuUtils.PrepareBenchmarkThread(-1))
            .Should().Throw<ArgumentOutOfRangeException>().WithParameterName("coreId");
        CpuUtils.PrepareBenchmarkThread(600_000).Should().BeFalse();
        CpuUtils.PrepareBenchmarkThread(1_023, out string? notDone).Should().BeFalse();
        notDone.Should().StartWith("The thread is not pinned: ");
    });

    [Fact]
    public void All_failed_steps_are_reported()
    {
        CurrentThread neither = new(); // a system without pinning
        CpuUtils.Prepare(neither, 0, out string? notDone).Should().BeFalse();
        notDone.Should().Be($"{neither.Pin(0)} {neither.RaisePriority()}");
    }
}
