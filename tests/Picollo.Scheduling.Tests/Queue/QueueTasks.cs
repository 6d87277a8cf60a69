namespace Picollo.Scheduling.Tests.Queue;

/// <summary>Creates tasks for a queue without a scheduler.</summary>
internal static class QueueTasks
{
    public static CpuTask Create(string name, CpuTaskPriority priority = CpuTaskPriority.Normal, bool isShort = true, bool hasStarted = false, long dueSince = 0)
    {
        var task = new SyncCpuTask(null!, _ => { }, new CpuTaskOptions { Name = name, Priority = priority }, default) { IsShort = isShort, SliceDueSince = dueSince };
        if (hasStarted)
        {
            task.Run(new WorkerSlot());
        }

        return task;
    }
}
