namespace Picollo.Scheduling.Tests.Pool;

/// <summary>Bodies that interrupt their own thread. The interrupt takes effect when the thread blocks next, which may be in code of the runtime
/// that the pool calls, such as a contended lock of the thread pool.</summary>
public class InterruptTests
{
    [Theory]
    [InlineData("step")]
    [InlineData("exception")]
    [InlineData("continuation")]
    [InlineData("posted")]
    [InlineData("loop")]
    public async Task An_interrupt_that_a_body_leaves_behind_does_not_reach_the_pool(string kind)
    {
        int interrupts = 0, pending = 0;
        await using CpuWorkerPool pool = Pools.Create(atSeam: seam =>
        {
            if (seam == Seam.StepEnded && Record.Exception(() => Thread.Sleep(1)) is not null)
            {
                Interlocked.Increment(ref pending);
            }
        });

        await (kind switch
        {
            "step" => pool.RunAsync(_ => Interrupt()),
            "exception" => pool.RunAsync(void (_) =>
            {
                Interrupt();
                throw new FormatException();
            }),
            "continuation" => pool.RunAsync(async _ =>
            {
                await Task.Yield();
                Interrupt();
            }),
            "posted" => pool.RunAsync(_ =>
            {
                var hasRun = new TaskCompletionSource();
                SynchronizationContext.Current!.Post(
                    _ =>
                    {
                        hasRun.SetResult();
                        Interrupt();
                    },
                    null);
                return hasRun.Task;
            }),
            _ => pool.ForEachAsync([1], (_, _) => Interrupt()),
        }).Ended();
        await pool.RunAsync(_ => Thread.Sleep(1)).Soon(); // an interrupt would reach this body

        interrupts.Should().Be(1);
        pending.Should().Be(0);

        void Interrupt()
        {
            interrupts++;
            Thread.CurrentThread.Interrupt();
        }
    }
}
