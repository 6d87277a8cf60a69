using System.Reflection;

namespace Picollo.Scheduling.Tests;

public class SleepTests
{
    /// <summary>Tries all distances, from a wake-up before the sleep to a wake-up after it.</summary>
    [Fact]
    public void A_wake_up_at_the_start_of_a_sleep_is_not_lost()
    {
        const int Rounds = 5_000, Distances = 50;
        var sleep = new Sleep();
        int round = 0, started = 0, ended = 0;
        var sleeper = new Thread(() =>
        {
            for (int i = 1; i <= Rounds; i++)
            {
                YieldUntil(() => Volatile.Read(ref round) == i);
                Volatile.Write(ref started, i);
                Thread.SpinWait(i % Distances);
                sleep.Wait();
                Volatile.Write(ref ended, i);
            }
        })
        { IsBackground = true };
        sleeper.Start();
        for (int i = 1; i <= Rounds; i++)
        {
            Volatile.Write(ref round, i);
            YieldUntil(() => Volatile.Read(ref started) == i);
            Thread.SpinWait(i / Distances % Distances);
            sleep.Wake();
            YieldUntil(() => Volatile.Read(ref ended) == i);
        }
    }

    [Fact]
    public void An_interrupt_does_not_end_a_sleep()
    {
        var sleep = new Sleep();
        bool hasEnded = false;
        Exception? failure = null;
        var sleeper = new Thread(() =>
        {
            Thread.CurrentThread.Interrupt(); // takes effect when the thread blocks next
            failure = Record.Exception(() => sleep.Wait());
            Volatile.Write(ref hasEnded, true);
        })
        { IsBackground = true };
        sleeper.Start();
        YieldUntil(() => Volatile.Read(ref hasEnded) || sleeper.ThreadState.HasFlag(ThreadState.WaitSleepJoin));
        sleeper.Interrupt();
        Volatile.Read(ref hasEnded).Should().BeFalse();
        sleep.Wake();
        YieldUntil(() => Volatile.Read(ref hasEnded));
        failure.Should().BeNull();
    }

    [Fact]
    [Trait("Category", "Slow")]
    public void A_pulse_without_a_wake_up_does_not_end_the_sleep()
    {
        // Such a pulse arrives late, after an interrupt has ended the wait for it.
        var sleep = new Sleep();
        object gate = typeof(Sleep).GetField("_gate", BindingFlags.Instance | BindingFlags.NonPublic)!.GetValue(sleep)!;
        var waiter = new Thread(() => sleep.Wait()) { IsBackground = true };
        waiter.Start();
        SpinWait.SpinUntil(() => waiter.ThreadState.HasFlag(ThreadState.WaitSleepJoin), Pools.Deadline).Should().BeTrue();

        lock (gate)
        {
            Monitor.PulseAll(gate);
        }

        waiter.Join(200).Should().BeFalse();
        sleep.Wake();
        waiter.Join(Pools.Deadline).Should().BeTrue();
    }

    private static void YieldUntil(Func<bool> condition)
    {
        var spinner = new SpinWait();
        for (long start = Environment.TickCount64; !condition(); spinner.SpinOnce(sleep1Threshold: -1))
        {
            if (Environment.TickCount64 - start > Pools.Deadline.TotalMilliseconds)
            {
                throw new TimeoutException("The wake-up was lost.");
            }
        }
    }
}
