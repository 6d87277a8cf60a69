namespace Picollo.Scheduling.Tests.Queue;

/// <summary>Tests the parts of the policy that the model does not have: blocked tasks, and the documented bound of the wait.</summary>
public class CpuTaskQueueTests
{
    private const long Slice = 10;

    [Fact]
    public void A_blocked_task_is_replaced_by_stopped_tasks_first_and_then_by_the_last_task_that_it_started()
    {
        var queue = new CpuTaskQueue(Slice);
        CpuTask blocked = QueueTasks.Create("blocked");
        blocked.IsBlocked = true;
        CpuTask child = CreateIn(blocked, "child", waitingSince: 1);
        CpuTask grandchild = CreateIn(child, "grandchild", waitingSince: 3);
        CpuTask stopped = QueueTasks.Create("stopped");
        (stopped.WaitingSince, stopped.StoppedThread) = (2, Stopped());
        CpuTask other = QueueTasks.Create("not started by a blocked task");
        other.WaitingSince = 4;
        CpuTask childOfOther = CreateIn(other, "child of it", waitingSince: 5);
        Array.ForEach([child, grandchild, stopped, other, childOfOther], queue.Add);

        foreach (CpuTask next in new[] { stopped, grandchild, child })
        {
            queue.FindForBlocked().Should().BeSameAs(next);
            queue.Remove(next);
        }

        queue.FindForBlocked().Should().BeNull("the limit of threads applies to other tasks");

        static CpuTask CreateIn(CpuTask parent, string name, long waitingSince)
        {
            SynchronizationContext? before = SynchronizationContext.Current;
            SynchronizationContext.SetSynchronizationContext(parent);
            try
            {
                CpuTask task = QueueTasks.Create(name);
                task.WaitingSince = waitingSince;
                return task;
            }
            finally
            {
                SynchronizationContext.SetSynchronizationContext(before);
            }
        }
    }

    [Fact]
    public void The_stopped_task_that_has_waited_longest_is_taken()
    {
        var queue = new CpuTaskQueue(Slice);
        (string Name, long Since, bool Stopped)[] waiting = [("late", 3, true), ("early", 2, true), ("not stopped", 1, false)];
        foreach ((string name, long since, bool stopped) in waiting)
        {
            CpuTask task = QueueTasks.Create(name, isShort: name != "late");
            (task.WaitingSince, task.StoppedThread) = (since, stopped ? Stopped() : null);
            queue.Add(task);
        }

        foreach (string expected in new[] { "early", "late" })
        {
            CpuTask task = queue.FindForBlocked()!;
            task.Name.Should().Be(expected);
            queue.Remove(task);
        }

        queue.FindForBlocked().Should().BeNull();
    }

    private static WorkerThread Stopped() => new(new CpuScheduler(new CpuWorkerPoolOptions { StartThread = _ => { } }), null, 1);

    /// <summary>The documented bound: with k tasks before it, 5·⌈(k+1)/N⌉ slices, here of one unit each.</summary>
    [Theory]
    [InlineData(1, 1)]
    [InlineData(1, 3)]
    [InlineData(2, 3)]
    [InlineData(3, 7)]
    public void An_overtaken_task_waits_no_longer_than_documented(int workers, int tasks)
    {
        var queue = new CpuTaskQueue(Slice);
        var overtaken = new long[workers];
        long now = 1_000;
        for (int i = 0; i < tasks; i++)
        {
            queue.Add(QueueTasks.Create($"aside {i}", i % 2 == 0 ? CpuTaskPriority.Low : CpuTaskPriority.Normal, isShort: false, dueSince: now + i));
        }

        long start = now + tasks;
        var waits = new Dictionary<string, long>();
        while (waits.Count < tasks)
        {
            for (int worker = 0; worker < workers; worker++)
            {
                queue.Add(QueueTasks.Create("new", CpuTaskPriority.High, dueSince: now));
                CpuTask taken = queue.Take(ref overtaken[worker], out bool isOvertaking, out _)!;
                overtaken[worker] += isOvertaking ? Slice : 0;
                if (!taken.IsShort)
                {
                    waits[taken.Name] = (now - start) / Slice;
                }
            }

            now += Slice;
            (now - start).Should().BeLessThan(1_000 * Slice, "they must not starve");
        }

        // Counted from 0, the k-th task to run had k tasks before it.
        foreach (var (wait, before) in waits.Values.Order().Select((wait, before) => (wait, before)))
        {
            wait.Should().BeLessThanOrEqualTo(5 * ((before + workers) / workers));
        }
    }
}
