using System.Diagnostics.CodeAnalysis;
using Picollo.Interop.Native;

namespace Picollo.Diagnostics;

/// <summary>What a <see cref="JitterMeter"/> asks of the system. What is refused and can be done without becomes a limit.</summary>
internal unsafe interface IJitterSystem
{
    /// <summary>The CPUs to measure, ascending.</summary>
    /// <param name="asked">Their numbers; null for all.</param>
    /// <param name="cpus">Without duplicates.</param>
    /// <param name="reason">Why one of them cannot be measured.</param>
    bool TryFindCpus(IReadOnlyList<int>? asked, out int[] cpus, [NotNullWhen(false)] out string? reason);

    /// <summary>Zeroed memory from the start of a page, which stays in memory where that is permitted.</summary>
    void* Allocate(nuint bytes, ReasonList reasons);

    void Free(void* memory, nuint bytes);

    /// <summary>What serves all threads: the loop's code stays in memory, and until it is disposed no CPU sleeps deeply.</summary>
    IDisposable? Prepare(ReasonList reasons);

    /// <summary>Opens the kernel's trace for a mark.</summary>
    JitterTrace OpenTrace();

    /// <summary>Makes the calling thread one that measures that CPU.</summary>
    /// <param name="cpu">The CPU.</param>
    /// <param name="priority">SCHED_FIFO's; null for none, and afterwards also if it was not permitted.</param>
    /// <param name="reasons">Takes what is not as asked.</param>
    /// <param name="threadId">The thread's ID.</param>
    /// <param name="reason">Why it cannot measure.</param>
    bool TryEnter(int cpu, ref int? priority, ReasonList reasons, out long threadId, [NotNullWhen(false)] out string? reason);

    /// <summary>Undoes of <see cref="TryEnter"/> what the thread's end does not.</summary>
    void Leave();

    /// <summary>Runs the loop on the calling thread.</summary>
    int Run(JitterState* state);

    /// <summary>Whether a thread that entered is where it was put; true where it has ended.</summary>
    bool IsWhereItWasPut(long threadId, int cpu);
}
