namespace Picollo.PerfEvent;

/// <summary>What a factory has gathered.</summary>
internal sealed record PerfEventSettings
{
    public IReadOnlyList<PerfEventSpec> Counters { get; init; } = [];

    /// <summary>0 for the calling thread, -1 for all on <see cref="Cpu"/>.</summary>
    public int ThreadId { get; init; }

    public int Cpu { get; init; } = -1;

    /// <summary>All threads of a process, 0 for this one; null where <see cref="ThreadId"/> and <see cref="Cpu"/> say it.</summary>
    public int? ProcessId { get; init; }

    /// <summary>Null as the target has it: a process's later threads are its own, a thread's are not.</summary>
    public bool? Inherited { get; init; }

    public bool IsInherited => Inherited ?? ProcessId is not null;

    public bool IsPinned { get; init; }

    public bool CountsKernel { get; init; }

    public bool IsEnabled { get; init; } = true;

    /// <summary>Whether counting begins when the target executes another program, and not before.</summary>
    public bool StartsOnExec { get; init; }

    public bool IsOptional { get; init; }

    /// <summary>Whether the counted thread reads its counters without the kernel where it can.</summary>
    public bool ReadsInUserSpace { get; init; } = true;

    /// <summary>The thread whose reads neither interrupt another CPU nor wait for a lock: the calling one, if it counts itself alone. Null
    /// for none: reads of other CPUs interrupt them, and reads of inherited counters take a lock.</summary>
    public Thread? PromptReader => IsOwnThread && !IsInherited ? Thread.CurrentThread : null;

    /// <summary>Whether it is the calling thread alone that counts: then it may read the counters itself, without the kernel.</summary>
    public bool IsOwnThread => ProcessId is null && ThreadId == 0;
}
