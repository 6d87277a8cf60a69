namespace Picollo.Scheduling.Tests.Queue;

/// <summary>A slow and obvious implementation of the policy: one list that is searched and sorted each time.</summary>
internal sealed class QueueModel(long slice)
{
    // In the order of their positions. A position before all others is negative.
    private readonly List<(CpuTask Task, int Place)> _waiting = [];
    private int _last;
    private int _first;

    public int Count => _waiting.Count;

    /// <summary>The rank: by priority, then tasks that have not used up a slice.</summary>
    public static int RankOf(CpuTask task) => (task.Priority, task.IsShort) switch
    {
        (CpuTaskPriority.High, true) => 0,
        (CpuTaskPriority.High, false) => 1,
        (CpuTaskPriority.Normal, true) => 2,
        (CpuTaskPriority.Normal, false) => 3,
        (CpuTaskPriority.Low, true) => 4,
        _ => 5,
    };

    public void Add(CpuTask task) => _waiting.Add((task, ++_last));

    public void PutBack(CpuTask task) =>
        _waiting.Add((task, _waiting.Any(other => RankOf(other.Task) < RankOf(task)) ? --_first : ++_last));

    public void Remove(CpuTask task) => _waiting.RemoveAll(each => each.Task == task);

    public bool AnyInterrupts(CpuTask running, long since)
    {
        CpuTask? next = _waiting.OrderBy(each => RankOf(each.Task)).ThenBy(each => each.Place).FirstOrDefault().Task;
        return next is not null
            && (RankOf(next) < RankOf(running) || (RankOf(next) == RankOf(running) && next.IsShort && next.WaitingSince > since));
    }

    public (CpuTask? Task, bool IsOvertaking, bool IsWhole) Take(ref long overtaken)
    {
        if (_waiting.Count == 0)
        {
            return (null, false, false);
        }

        CpuTask[] heads = [.. _waiting.GroupBy(each => RankOf(each.Task)).OrderBy(line => line.Key).Select(line => line.MinBy(each => each.Place).Task)];
        CpuTask? passed = heads.Skip(1).MinBy(head => head.SliceDueSince);
        bool isWhole = passed is not null && overtaken >= 4 * slice;
        CpuTask taken = isWhole ? passed! : heads[0];
        overtaken = passed is null || isWhole ? 0 : overtaken;
        Remove(taken);
        return (taken, passed is not null && !isWhole, isWhole);
    }

    public IEnumerable<CpuTask> TakeUnstarted()
    {
        CpuTask[] unstarted = [.. _waiting.Select(each => each.Task).Where(task => !task.HasStarted)];
        Array.ForEach(unstarted, Remove);
        return unstarted;
    }
}
