using System.Diagnostics.CodeAnalysis;
using Picollo.Interop.Native;

namespace Picollo.Diagnostics;

/// <summary>The system functions of a <see cref="JitterMeter"/>. If the system refuses an optional function, the reason is added to the
/// list.</summary>
internal unsafe interface IJitterSystem
{
    /// <summary>Finds the CPUs to measure, in ascending order and without duplicates: the requested ones, or all.</summary>
    bool TryFindCpus(IReadOnlyList<int>? requested, out int[] cpus, [NotNullWhen(false)] out MeasurementUnavailableException? failure);

    /// <summary>Allocates zeroed memory at the start of a page, and locks it in memory if that is permitted.</summary>
    void* Allocate(nuint bytes, ReasonList reasons);

    void Free(void* memory, nuint bytes);

    /// <summary>Prepares all threads: locks the loop's code in memory, and prevents deep sleep states of the CPUs until the result is
    /// disposed.</summary>
    IDisposable? Prepare(ReasonList reasons);

    JitterTrace OpenTrace();

    /// <summary>Pins the calling thread to a CPU for measuring. The priority is for SCHED_FIFO, and set to null if it is not
    /// permitted.</summary>
    bool TryEnter(
        int cpu,
        ref int? priority,
        ReasonList reasons,
        out long threadId,
        [NotNullWhen(false)] out MeasurementUnavailableException? failure);

    /// <summary>Undoes the effects of <see cref="TryEnter"/> that would outlive the thread.</summary>
    void Leave();

    int Run(JitterState* state);

    /// <summary>Returns <see langword="true"/> if a thread is still pinned to its CPU, or has ended.</summary>
    bool IsPinned(long threadId, int cpu);
}
