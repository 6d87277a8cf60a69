using System.Diagnostics;

namespace Picollo.Scheduling;

/// <summary>
/// The tasks that wait for a worker, and the policy: who goes next. Pure; the scheduler's lock is around it.
/// </summary>
/// <remarks>
/// <para>A line for each rank, first come, first served: by priority, and in a priority those that have not used up their first
/// slice ("new") before those that have ("set aside"). So a short task overtakes long ones, whenever it comes.</para>
/// <para>What that order passes over is not forgotten: at least every <see cref="PeriodInSlices"/> slices a worker gives one to
/// the task that has waited longest in the other lines, and that one is not interrupted.</para>
/// </remarks>
internal sealed class CpuTaskQueue(long slice)
{
    /// <summary>One slice in five: what is passed over gets a fifth of the workers, and a short task waits for one slice at the worst.
    /// (With one in two, short tasks waited half of the time; with none, long tasks never ended.)</summary>
    public const int PeriodInSlices = 5;

    private readonly Line[] _lines = [new(), new(), new(), new(), new(), new()];

    public int Count { get; private set; }

    /// <summary>The place of a task in the order; less is sooner.</summary>
    public static int Rank(CpuTask task) => 2 * ((int)CpuPriority.High - (int)task.Priority) + (task.IsNew ? 0 : 1);

    /// <summary>Whether a waiting task is to have the place of a running one at once: one of a better rank, and a new one also that of
    /// another new one, which has the shorter wait behind it.</summary>
    public static bool Interrupts(CpuTask waiting, CpuTask running) =>
        Rank(waiting) < Rank(running) || (waiting.IsNew && Rank(waiting) == Rank(running));

    /// <summary>Whether any waiting task is to have a running one's place at once.</summary>
    public bool AnyInterrupts(CpuTask running) => First() is { } waiting && Interrupts(waiting, running);

    /// <summary>A task that comes, or has had its slice: to the end of its line.</summary>
    public void Add(CpuTask task)
    {
        _lines[Rank(task)].AddLast(task);
        Count++;
    }

    /// <summary>A task that has something left of its slice: to the head of its line, unless it makes room for its equals.</summary>
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

    /// <summary>Takes the next task out; null where none waits.</summary>
    /// <param name="now">In the unit of the slice.</param>
    /// <param name="lastWhole">When the worker last took a task that had been passed over; set if it does now.</param>
    /// <param name="isWhole">Whether the task was passed over before, and is to have a whole slice.</param>
    public CpuTask? Take(long now, ref long lastWhole, out bool isWhole)
    {
        isWhole = false;
        CpuTask? next = First();
        if (next is null)
        {
            return null;
        }

        if (PassedOver(next) is { } passed && now - Math.Max(passed.SliceDueSince, lastWhole) >= (PeriodInSlices - 1) * slice)
        {
            next = passed;
            lastWhole = now;
            isWhole = true;
        }

        Remove(next);
        return next;
    }

    /// <summary>Takes out all that never ran.</summary>
    public List<CpuTask> TakeUnbegun()
    {
        var unbegun = new List<CpuTask>();
        foreach (Line line in _lines)
        {
            for (CpuTask? task = line.First; task is not null; task = task.Next)
            {
                if (!task.HasBegun)
                {
                    unbegun.Add(task);
                }
            }
        }

        unbegun.ForEach(Remove);
        return unbegun;
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

    /// <summary>Of the lines that <paramref name="next"/> does not stand in, the task that has waited longest.</summary>
    private CpuTask? PassedOver(CpuTask next)
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

    /// <summary>A list through the tasks themselves: nothing is allocated, and a cancelled task leaves it at once.</summary>
    private sealed class Line
    {
        private CpuTask? _last;

        public CpuTask? First { get; private set; }

        public void AddFirst(CpuTask task)
        {
            Debug.Assert(task.Next is null && task.Previous is null, "A task waits in one line, once.");
            task.Next = First;
            if (First is null)
            {
                _last = task;
            }
            else
            {
                First.Previous = task;
            }

            First = task;
        }

        public void AddLast(CpuTask task)
        {
            Debug.Assert(task.Next is null && task.Previous is null, "A task waits in one line, once.");
            task.Previous = _last;
            if (_last is null)
            {
                First = task;
            }
            else
            {
                _last.Next = task;
            }

            _last = task;
        }

        public void Remove(CpuTask task)
        {
            if (task.Previous is null)
            {
                First = task.Next;
            }
            else
            {
                task.Previous.Next = task.Next;
            }

            if (task.Next is null)
            {
                _last = task.Previous;
            }
            else
            {
                task.Next.Previous = task.Previous;
            }

            task.Next = task.Previous = null;
        }
    }
}
