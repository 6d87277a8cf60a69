namespace Picollo.Scheduling;

/// <summary>The tasks that wait for a worker, and the policy that selects the next one. Called under the scheduler's lock.</summary>
/// <remarks>
/// <para>Each rank has a first-in, first-out line. Ranks are ordered by priority. Within a priority, short tasks, which have credit
/// (<see cref="CpuTask.IsShort"/>), precede tasks that have used up their credit. A short task therefore overtakes long ones.</para>
/// <para>When a worker has spent the time of <see cref="PeriodInSlices"/> − 1 slices on tasks while tasks of other lines waited, it gives a
/// whole slice to the task that has waited longest in the other lines. That slice is not interrupted.</para>
/// </remarks>
internal sealed class CpuTaskQueue(long slice)
{
    /// <summary>Every fifth slice is given to the longest-waiting task. Passed-over tasks get a fifth of the workers, and a short task
    /// waits for at most one slice. (With every second slice, short tasks waited half of the time; with none, long tasks never
    /// ended.)</summary>
    public const int PeriodInSlices = 5;

    private readonly Line[] _lines = [new(), new(), new(), new(), new(), new()];

    public int Count { get; private set; }

    /// <summary>Returns the rank of a task. Lower ranks run first.</summary>
    public static int Rank(CpuTask task) => 2 * ((int)CpuTaskPriority.High - (int)task.Priority) + (task.IsShort ? 0 : 1);

    /// <summary>Returns whether a waiting task interrupts a running one: it has a lower rank, or both are short and have the same
    /// rank.</summary>
    public static bool Interrupts(CpuTask waiting, CpuTask running) =>
        Rank(waiting) < Rank(running) || (waiting.IsShort && Rank(waiting) == Rank(running));

    /// <summary>Returns whether the next task interrupts a running one; in the same rank only if it arrived after a given time.</summary>
    public bool AnyInterrupts(CpuTask running, long since = long.MinValue) => First() is { } waiting && Interrupts(waiting, running)
        && (Rank(waiting) < Rank(running) || waiting.WaitingSince > since);

    /// <summary>Adds a task that arrives, or has used up its slice, to the end of its line.</summary>
    public void Add(CpuTask task)
    {
        _lines[Rank(task)].AddLast(task);
        Count++;
    }

    /// <summary>Adds a task with a remaining slice to the head of its line if the next task has a lower rank; otherwise, to the end of its
    /// line.</summary>
    public void PutBack(CpuTask task)
    {
        Line line = _lines[Rank(task)];
        if (First() is { } first && Rank(first) < Rank(task))
        {
            line.AddFirst(task);
        }
        else
        {
            line.AddLast(task);
        }

        Count++;
    }

    public void Remove(CpuTask task)
    {
        _lines[Rank(task)].Remove(task);
        Count--;
    }

    /// <summary>Removes and returns the next task; null if no task waits. <paramref name="overtaken"/> is the time that the worker has
    /// spent on tasks while tasks of other lines waited, in the unit of the slice. It is reset when one of those tasks gets its slice, or
    /// none is left. An overtaken task gets a whole slice.</summary>
    public CpuTask? Take(ref long overtaken, out bool isOvertaking, out bool isWhole)
    {
        isOvertaking = isWhole = false;
        CpuTask? next = First();
        if (next is null)
        {
            return null;
        }

        CpuTask? passed = LongestWaiting(next);
        isOvertaking = passed is not null;
        if (passed is null)
        {
            overtaken = 0;
        }
        else if (overtaken >= (PeriodInSlices - 1) * slice)
        {
            next = passed;
            overtaken = 0;
            isOvertaking = false;
            isWhole = true;
        }

        Remove(next);
        return next;
    }

    /// <summary>Returns the task to run in place of a blocked one: the task that has waited longest among those that have stopped with
    /// their thread. If there is none, returns the latest task that a blocked task has started and may wait for; null for none. (If each
    /// task starts several tasks and waits for them, taking the oldest first would start all of them before the first one ends.)</summary>
    public CpuTask? FindForBlocked()
    {
        CpuTask? stopped = null, started = null;
        foreach (Line line in _lines)
        {
            for (CpuTask? task = line.First; task is not null; task = task.Next)
            {
                if (task.StoppedThread is not null && (stopped is null || task.WaitingSince < stopped.WaitingSince))
                {
                    stopped = task;
                }

                if ((started is null || task.WaitingSince > started.WaitingSince) && task.HasBlockedAncestor)
                {
                    started = task;
                }
            }
        }

        return stopped ?? started;
    }

    public List<CpuTask> TakeUnstarted()
    {
        var unstarted = new List<CpuTask>();
        foreach (Line line in _lines)
        {
            for (CpuTask? task = line.First; task is not null; task = task.Next)
            {
                if (!task.HasStarted)
                {
                    unstarted.Add(task);
                }
            }
        }

        unstarted.ForEach(Remove);
        return unstarted;
    }

    private CpuTask? First()
    {
        foreach (Line line in _lines)
        {
            if (line.First is { } first)
            {
                return first;
            }
        }

        return null;
    }

    /// <summary>Returns the task that has waited longest in lines other than the line of <paramref name="next"/>; null for none.</summary>
    private CpuTask? LongestWaiting(CpuTask next)
    {
        CpuTask? longest = null;
        foreach (Line line in _lines)
        {
            if (line.First is { } first && first != next && (longest is null || first.SliceDueSince < longest.SliceDueSince))
            {
                longest = first;
            }
        }

        return longest;
    }

    /// <summary>A linked list through the tasks themselves, so that nothing is allocated and a canceled task is removed in constant
    /// time.</summary>
    private sealed class Line
    {
        private CpuTask? _last;

        public CpuTask? First { get; private set; }

        public void AddFirst(CpuTask task) => Insert(null, task, First);

        public void AddLast(CpuTask task) => Insert(_last, task, null);

        public void Remove(CpuTask task)
        {
            Link(task.Previous, task.Next);
            task.Next = task.Previous = null;
        }

        private void Insert(CpuTask? before, CpuTask task, CpuTask? after)
        {
            Debug.Assert(task.Next is null && task.Previous is null, "A task can be in only one line, and only once.");
            Link(before, task);
            Link(task, after);
        }

        /// <summary>Links two neighboring tasks. Null is the end of the line.</summary>
        private void Link(CpuTask? before, CpuTask? after)
        {
            if (before is null)
            {
                First = after;
            }
            else
            {
                before.Next = after;
            }

            if (after is null)
            {
                _last = before;
            }
            else
            {
                after.Previous = before;
            }
        }
    }
}
