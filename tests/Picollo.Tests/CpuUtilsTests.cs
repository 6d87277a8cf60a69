using Picollo.Cpu;
using Picollo.Cpu.Linux;

namespace Picollo.Tests;

public class CpuUtilsTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(1000)]
    public void Every_addition_of_the_chain_is_done(int blocks)
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
    public void No_blocks_do_nothing(int blocks)
    {
        CpuUtils.AddChain256(blocks).Should().Be(0);
        CpuUtils.AddChain512(blocks).Should().Be(0);
    }

    [Fact]
    public void A_warm_cpu_has_the_clock_of_a_cpu() => CpuUtils.WarmupCpu().Should().BeInRange(10e6, 100e9);

    [Fact]
    public void The_threads_id_is_that_of_the_readers() => OnDedicatedThread(() =>
    {
        ((long)CpuUtils.GetOsThreadId()).Should().Be(CpuUsageReader.GetThreadId()).And.BePositive();
    });

    [FactNeeding(Need.Linux)]
    public void A_pinned_thread_stays_on_its_cpu() => OnDedicatedThread(() =>
    {
        int[] permitted = CpuMask.Get(thread: 0)!;
        Span<byte> text = stackalloc byte[ProcTaskStat.MaxLength];
        foreach (int cpu in permitted)
        {
            CpuUtils.PrepareBenchmarkThread(cpu, out string? notDone).Should().BeTrue();
            CpuMask.Get(thread: 0).Should().Equal(cpu);
            ((int)CpuUtils.GetCpu()).Should().Be(cpu);

            // The own niceness is field 19 of the thread's stat file, and a negative one needs a right that not every user has.
            ProcTaskStat.TryRead((int)CpuUsageReader.GetThreadId(), text, out ProcTaskStat stat).Should().BeTrue();
            (notDone is null).Should().Be(stat.Nice == -20);
            notDone?.Should().StartWith("The thread's niceness is ").And.Contain("CAP_SYS_NICE");
        }
    });

    [Fact]
    public void A_cpu_that_does_not_exist_is_reported() => OnDedicatedThread(() =>
    {
        CpuUtils.PrepareBenchmarkThread(600_000).Should().BeFalse();
        CpuUtils.PrepareBenchmarkThread(1_023, out string? notDone).Should().BeFalse();
        notDone.Should().StartWith("The thread is not pinned: ");
    });

    [Fact]
    public void A_negative_cpu_is_rejected()
    {
        Action pin = () => CpuUtils.PrepareBenchmarkThread(-1);
        pin.Should().Throw<ArgumentOutOfRangeException>().WithParameterName("coreId");
    }

    [Fact]
    public void A_system_without_pinning_says_so()
    {
        CurrentThread thread = new();
        thread.Cpu.Should().Be(-1);
        thread.Pin(0).Should().StartWith("The thread is not pinned: ");
        thread.RaisePriority().Should().StartWith("The thread's priority is unchanged: ");
    }

    [Fact]
    public void All_that_was_not_done_is_reported()
    {
        CurrentThread neither = new();
        CpuUtils.Prepare(neither, 0, out string? notDone).Should().BeFalse();
        notDone.Should().Be($"{neither.Pin(0)} {neither.RaisePriority()}");
    }

    /// <summary>A thread that nothing uses afterwards: pinning and niceness are not undone.</summary>
    private static void OnDedicatedThread(Action action)
    {
        Exception? failure = null;
        var thread = new Thread(() => failure = Record.Exception(action));
        thread.Start();
        thread.Join();
        if (failure is not null)
        {
            throw failure;
        }
    }
}
