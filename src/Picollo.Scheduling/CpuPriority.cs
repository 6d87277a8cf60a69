namespace Picollo.Scheduling;

/// <summary>Which of the tasks that wait goes first. A task of any priority gets its turn (see <see cref="CpuWorkerPool"/>).</summary>
public enum CpuPriority
{
    /// <summary>After everything else: work that nobody waits for.</summary>
    Low = -1,

    /// <summary>The default.</summary>
    Normal = 0,

    /// <summary>Before everything else.</summary>
    High = 1,
}
