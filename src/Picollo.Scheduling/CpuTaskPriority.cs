namespace Picollo.Scheduling;

/// <summary>The order of waiting tasks. A task of any priority gets its turn (see <see cref="CpuWorkerPool"/>).</summary>
public enum CpuTaskPriority
{
    /// <summary>After everything else: background work.</summary>
    Low = -1,

    /// <summary>The default.</summary>
    Normal = 0,

    /// <summary>Before everything else.</summary>
    High = 1,
}
