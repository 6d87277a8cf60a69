namespace Picollo.Scheduling.Tests;

public class UninterruptedLockTests
{
    [Fact]
    public void An_interrupt_does_not_end_the_wait_for_a_lock_and_is_deferred_to_the_next_wait()
    {
        var gate = new UninterruptedLock();
        Exception? ofLock = null, ofNextWait = null;
        var waiter = new Thread(() =>
        {
            Thread.CurrentThread.Interrupt(); // takes effect when the thread blocks next
            ofLock = Record.Exception(() =>
            {
                using (gate.Enter())
                {
                }
            });
            ofNextWait = Record.Exception(() => Thread.Sleep(Pools.Deadline));
        })
        { IsBackground = true };
        using (gate.Enter())
        {
            waiter.Start();
            SpinWait.SpinUntil(() => waiter.ThreadState.HasFlag(ThreadState.WaitSleepJoin), Pools.Deadline).Should().BeTrue();
        }

        waiter.Join(Pools.Deadline).Should().BeTrue();
        ofLock.Should().BeNull();
        ofNextWait.Should().BeOfType<ThreadInterruptedException>();
    }
}
