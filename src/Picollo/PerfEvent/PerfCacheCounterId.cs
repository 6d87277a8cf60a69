namespace Picollo.PerfEvent;

/// <summary>The generic cache events of the kernel: each consists of a cache, an operation and a result. No CPU supports all of
/// them.</summary>
/// <remarks>The values are those of <c>config</c> for <c>PERF_TYPE_HW_CACHE</c> (perf_event_open(2)):
/// cache, operation &lt;&lt; 8, result &lt;&lt; 16.</remarks>
public enum PerfCacheCounterId
{
    /// <summary>Reads of the first-level data cache.</summary>
    L1DReadAccess = 0 | (0 << 8) | (0 << 16),

    /// <summary>Read misses of the first-level data cache.</summary>
    L1DReadMiss = 0 | (0 << 8) | (1 << 16),

    /// <summary>Writes of the first-level data cache.</summary>
    L1DWriteAccess = 0 | (1 << 8) | (0 << 16),

    /// <summary>Write misses of the first-level data cache.</summary>
    L1DWriteMiss = 0 | (1 << 8) | (1 << 16),

    /// <summary>Prefetches of the first-level data cache.</summary>
    L1DPrefetchAccess = 0 | (2 << 8) | (0 << 16),

    /// <summary>Prefetch misses of the first-level data cache.</summary>
    L1DPrefetchMiss = 0 | (2 << 8) | (1 << 16),

    /// <summary>Reads of the first-level instruction cache.</summary>
    L1IReadAccess = 1 | (0 << 8) | (0 << 16),

    /// <summary>Read misses of the first-level instruction cache.</summary>
    L1IReadMiss = 1 | (0 << 8) | (1 << 16),

    /// <summary>Writes of the first-level instruction cache.</summary>
    L1IWriteAccess = 1 | (1 << 8) | (0 << 16),

    /// <summary>Write misses of the first-level instruction cache.</summary>
    L1IWriteMiss = 1 | (1 << 8) | (1 << 16),

    /// <summary>Prefetches of the first-level instruction cache.</summary>
    L1IPrefetchAccess = 1 | (2 << 8) | (0 << 16),

    /// <summary>Prefetch misses of the first-level instruction cache.</summary>
    L1IPrefetchMiss = 1 | (2 << 8) | (1 << 16),

    /// <summary>Reads of the last-level cache.</summary>
    LLReadAccess = 2 | (0 << 8) | (0 << 16),

    /// <summary>Read misses of the last-level cache.</summary>
    LLReadMiss = 2 | (0 << 8) | (1 << 16),

    /// <summary>Writes of the last-level cache.</summary>
    LLWriteAccess = 2 | (1 << 8) | (0 << 16),

    /// <summary>Write misses of the last-level cache.</summary>
    LLWriteMiss = 2 | (1 << 8) | (1 << 16),

    /// <summary>Prefetches of the last-level cache.</summary>
    LLPrefetchAccess = 2 | (2 << 8) | (0 << 16),

    /// <summary>Prefetch misses of the last-level cache.</summary>
    LLPrefetchMiss = 2 | (2 << 8) | (1 << 16),

    /// <summary>Reads of the data TLB.</summary>
    DTlbReadAccess = 3 | (0 << 8) | (0 << 16),

    /// <summary>Read misses of the data TLB.</summary>
    DTlbReadMiss = 3 | (0 << 8) | (1 << 16),

    /// <summary>Writes of the data TLB.</summary>
    DTlbWriteAccess = 3 | (1 << 8) | (0 << 16),

    /// <summary>Write misses of the data TLB.</summary>
    DTlbWriteMiss = 3 | (1 << 8) | (1 << 16),

    /// <summary>Prefetches of the data TLB.</summary>
    DTlbPrefetchAccess = 3 | (2 << 8) | (0 << 16),

    /// <summary>Prefetch misses of the data TLB.</summary>
    DTlbPrefetchMiss = 3 | (2 << 8) | (1 << 16),

    /// <summary>Reads of the instruction TLB.</summary>
    ITlbReadAccess = 4 | (0 << 8) | (0 << 16),

    /// <summary>Read misses of the instruction TLB.</summary>
    ITlbReadMiss = 4 | (0 << 8) | (1 << 16),

    /// <summary>Writes of the instruction TLB.</summary>
    ITlbWriteAccess = 4 | (1 << 8) | (0 << 16),

    /// <summary>Write misses of the instruction TLB.</summary>
    ITlbWriteMiss = 4 | (1 << 8) | (1 << 16),

    /// <summary>Prefetches of the instruction TLB.</summary>
    ITlbPrefetchAccess = 4 | (2 << 8) | (0 << 16),

    /// <summary>Prefetch misses of the instruction TLB.</summary>
    ITlbPrefetchMiss = 4 | (2 << 8) | (1 << 16),

    /// <summary>Reads of the branch prediction unit.</summary>
    BpuReadAccess = 5 | (0 << 8) | (0 << 16),

    /// <summary>Read misses of the branch prediction unit.</summary>
    BpuReadMiss = 5 | (0 << 8) | (1 << 16),

    /// <summary>Writes of the branch prediction unit.</summary>
    BpuWriteAccess = 5 | (1 << 8) | (0 << 16),

    /// <summary>Write misses of the branch prediction unit.</summary>
    BpuWriteMiss = 5 | (1 << 8) | (1 << 16),

    /// <summary>Prefetches of the branch prediction unit.</summary>
    BpuPrefetchAccess = 5 | (2 << 8) | (0 << 16),

    /// <summary>Prefetch misses of the branch prediction unit.</summary>
    BpuPrefetchMiss = 5 | (2 << 8) | (1 << 16),

    /// <summary>Reads of the memory of the local node.</summary>
    NodeReadAccess = 6 | (0 << 8) | (0 << 16),

    /// <summary>Read misses of the memory of the local node.</summary>
    NodeReadMiss = 6 | (0 << 8) | (1 << 16),

    /// <summary>Writes of the memory of the local node.</summary>
    NodeWriteAccess = 6 | (1 << 8) | (0 << 16),

    /// <summary>Write misses of the memory of the local node.</summary>
    NodeWriteMiss = 6 | (1 << 8) | (1 << 16),

    /// <summary>Prefetches of the memory of the local node.</summary>
    NodePrefetchAccess = 6 | (2 << 8) | (0 << 16),

    /// <summary>Prefetch misses of the memory of the local node.</summary>
    NodePrefetchMiss = 6 | (2 << 8) | (1 << 16),
}
