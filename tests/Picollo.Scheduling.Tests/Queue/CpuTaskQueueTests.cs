namespace Picollo.Scheduling.Tests.Queue;

/// <summary>The policy in examples; what it does in general is the model's matter.</summary>
public class CpuTaskQueueTests
{
    private const long Slice = 10;

    [Fact]
    public void Tasks_go_by_priority_then_new_before_set_aside_then_by_arrival()
    {
        string[] order = ["high", "high aside", "normal 1", "normal 2", "normal aside", "low", "low aside"];
        CpuTask[] tasks =
        [
            QueueTasks.Create("low aside", CpuTaskPriority.Low, isNew: false),
            QueueTasks.Create("normal 1"),
            QueueTasks.Create("high aside", CpuTaskPriority.High, isNew: false),
            QueueTasks.Create("normal aside", isNew: false),
            QueueTasks.Create("low", CpuTaskPriority.Low),
            QueueTasks.Create("normal 2"),
            QueueTasks.Create("high", CpuTaskPriority.High),
        ];
        var queue = new CpuTaskQueue(Slice);
        Array.ForEach(tasks, queue.Add);

        TakeAll(queue).Should().Equal(order);
    }

    [Fact]
    public void A_task_that_was_interrupted_by_its_betters_is_the_next_of_its_line()
    {
        var queue = new CpuTaskQueue(Slice);
        queue.Add(QueueTasks.Create("aside 1", isNew: false));
        queue.Add(QueueTasks.Create("new"));
        queue.PutBack(QueueTasks.Create("interrupted", isNew: false));

        TakeAll(queue).Should().Equal("new", "interrupted", "aside 1");
    }

    [Fact]
    public void A_task_that_was_interrupted_by_its_equals_is_the_last_of_its_line()
    {
        var queue = new CpuTaskQueue(Slice);
        queue.Add(QueueTasks.Create("new 1"));
        queue.Add(QueueTasks.Create("new 2"));
        queue.PutBack(QueueTasks.Create("interrupted"));

        TakeAll(queue).Should().Equal("new 1", "new 2", "interrupted");
    }

    [Theory]
    [InlineData((4 * Slice) - 1, "new", false)]
    [InlineData(4 * Slice, "aside", true)]
    public void What_is_passed_over_gets_a_whole_slice_after_four(long waited, string taken, bool whole)
    {
        const long since = 1_000;
        var queue = new CpuTaskQueue(Slice);
        queue.Add(QueueTasks.Create("new", dueSince: since - 1_000));
        queue.Add(QueueTasks.Create("aside", isNew: false, dueSince: since));
        long lastWhole = 0;

        queue.Take(since + waited, ref lastWhole, out bool isWhole)!.Name.Should().Be(taken);

        isWhole.Should().Be(whole);
        lastWhole.Should().Be(whole ? since + waited : 0);
    }

    [Fact]
    public void A_worker_gives_one_whole_slice_in_five()
    {
        const long now = 1_000;
        var queue = new CpuTaskQueue(Slice);
        queue.Add(QueueTasks.Create("new", dueSince: now));
        queue.Add(QueueTasks.Create("aside", isNew: false));
        long early = now - (4 * Slice) + 1;
        long late = now - (4 * Slice);

        queue.Take(now, ref early, out bool isWhole)!.Name.Should().Be("new");
        isWhole.Should().BeFalse();
        queue.Add(QueueTasks.Create("new", dueSince: now));
        queue.Take(now, ref late, out isWhole)!.Name.Should().Be("aside");
        isWhole.Should().BeTrue();
    }

    [Fact]
    public void Of_those_passed_over_the_one_that_waits_longest_goes_first()
    {
        var queue = new CpuTaskQueue(Slice);
        queue.Add(QueueTasks.Create("high", CpuTaskPriority.High));
        queue.Add(QueueTasks.Create("normal aside", isNew: false, dueSince: 20));
        queue.Add(QueueTasks.Create("low", CpuTaskPriority.Low, dueSince: 10));
        queue.Add(QueueTasks.Create("low aside", CpuTaskPriority.Low, isNew: false, dueSince: 30));
        long lastWhole = 0;

        queue.Take(1_000, ref lastWhole, out _)!.Name.Should().Be("low");
    }

    /// <summary>The bound that is documented: with k others before it, 5·⌈(k+1)/N⌉ slices, here of one unit for each that is given.</summary>
    [Theory]
    [InlineData(1, 1)]
    [InlineData(1, 3)]
    [InlineData(2, 3)]
    [InlineData(3, 7)]
    public void What_is_passed_over_waits_no_longer_than_is_documented(int workers, int passedOver)
    {
        var queue = new CpuTaskQueue(Slice);
        var lastWhole = new long[workers];
        long now = 1_000;
        for (int i = 0; i < passedOver; i++)
        {
            queue.Add(QueueTasks.Create($"aside {i}", i % 2 == 0 ? CpuTaskPriority.Low : CpuTaskPriority.Normal, isNew: false, dueSince: now + i));
        }

        long begin = now + passedOver;
        var waits = new Dictionary<string, long>();
        while (waits.Count < passedOver)
        {
            for (int worker = 0; worker < workers; worker++)
            {
                queue.Add(QueueTasks.Create("new", CpuTaskPriority.High, dueSince: now));
                CpuTask taken = queue.Take(now, ref lastWhole[worker], out _)!;
                if (!taken.IsNew)
                {
                    waits[taken.Name] = (now - begin) / Slice;
                }
            }

            now += Slice;
            (now - begin).Should().BeLessThan(1_000 * Slice, "they are not to starve");
        }

        // Each line in its order; k others before it.
        foreach (var (wait, before) in waits.Values.Order().Select((wait, before) => (wait, before)))
        {
            wait.Should().BeLessThanOrEqualTo(5 * ((before + workers) / workers));
        }
    }

    [Theory]
    [InlineData(CpuTaskPriority.Normal, true, CpuTaskPriority.Normal, false, true)]
    [InlineData(CpuTaskPriority.Normal, true, CpuTaskPriority.Normal, true, true)]
    [InlineData(CpuTaskPriority.Normal, false, CpuTaskPriority.Normal, false, false)]
    [InlineData(CpuTaskPriority.Normal, false, CpuTaskPriority.Normal, true, false)]
    [InlineData(CpuTaskPriority.High, false, CpuTaskPriority.Normal, true, true)]
    [InlineData(CpuTaskPriority.Low, true, CpuTaskPriority.Normal, false, false)]
    public void A_new_task_and_one_of_a_better_rank_interrupt(CpuTaskPriority waiting, bool isWaitingNew, CpuTaskPriority running, bool isRunningNew, bool interrupts) =>
        CpuTaskQueue.Interrupts(QueueTasks.Create("waiting", waiting, isWaitingNew), QueueTasks.Create("running", running, isRunningNew))
            .Should().Be(interrupts);

    private static List<string> TakeAll(CpuTaskQueue queue)
    {
        var names = new List<string>();
        long lastWhole = 0;
        while (queue.Take(0, ref lastWhole, out _) is { } task)
        {
            names.Add(task.Name);
        }

        return names;
    }
}
