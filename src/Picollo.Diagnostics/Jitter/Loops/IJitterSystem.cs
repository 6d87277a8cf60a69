using System.Diagnostics.CodeAnalysis;
using Picollo.Interop.Native;

namespace Picollo.Diagnostics;

/// <summary>The system functions of a <see cref="JitterMeter"/>. If the system refuses an optional function, the reason is added to the
/// list.</summary>
internal unsafe interface IJitterSystem
{
    /// <summary>Finds the CPUs to measure.</summary>
    /// <param name="requested">The requested CPU numbers; null for all.</param>
    /// <param name="cpus">The CPUs in ascending order, without duplicates.</param>
    /// <param name="reason">The reason why one of the CPUs cannot be measured.</param>
    bool TryFindCpus(IReadOnlyList<int>? requested, out int[] cpus, [NotNullWhen(false)] out string? reason);

    /// <summary>Allocates zeroed memory at the start of a page, and locks it in memory if that is permitted.</summary>
    void* Allocate(nuint bytes, ReasonList reasons);

    void Free(void* memory, nuint bytes);

    /// <summary>Prepares all threads: locks the loop's code in memory, and prevents deep sleep states of the CPUs until the result is
    /// disposed.</summary>
    IDisposable? Prepare(ReasonList reasons);

    /// <summary>Opens the kernel's trace for a mark.</summary>
    JitterTrace OpenTrace();

    /// <summary>Pins the calling thread to a CPU for measuring.</summary>
    /// <param name="cpu">The CPU.</param>
    /// <param name="priority">The priority for SCHED_FIFO; null for none. Set to null if it is not permitted.</param>
    /// <param name="reasons">Receives the functions that were refused.</param>
    /// <param name="threadId">The thread's ID.</param>
    /// <param name="reason">The reason why the thread cannot measure.</param>
    bool TryEnter(int cpu, ref int? priority, ReasonList reasons, out long threadId, [NotNullWhen(false)] out string? reason);

    /// <summary>Undoes the effects of <see cref="TryEnter"/> that would outlive the thread.</summary>
    void Leave();

    /// <summary>Runs the loop on the calling thread.</summary>
    int Run(JitterState* state);

    /// <summary>Returns <see langword="true"/> if a thread is still pinned to its CPU, or has ended.</summary>
    bool IsPinned(long threadId, int cpu);
}
