namespace Picollo.PerfEvent;

/// <summary>The settings of a factory.</summary>
internal sealed record PerfEventSettings
{
    public IReadOnlyList<PerfEventSpec> Counters { get; init; } = [];

    /// <summary>The thread ID; 0 for the calling thread, -1 for all threads on <see cref="Cpu"/>.</summary>
    public int ThreadId { get; init; }

    public int Cpu { get; init; } = -1;

    /// <summary>The process whose threads are counted, 0 for this one; null if <see cref="ThreadId"/> and <see cref="Cpu"/>
    /// apply.</summary>
    public int? ProcessId { get; init; }

    /// <summary>Whether later threads are counted; null for the default, which is true for a process and false for a thread.</summary>
    public bool? Inherited { get; init; }

    public bool IsInherited => Inherited ?? ProcessId is not null;

    public bool IsPinned { get; init; }

    public bool CountsKernel { get; init; }

    public bool IsEnabled { get; init; } = true;

    /// <summary>Whether counting starts only when the target executes another program.</summary>
    public bool StartsOnExec { get; init; }

    public bool IsOptional { get; init; }

    /// <summary>Whether the counted thread reads its counters without the kernel if possible.</summary>
    public bool ReadsInUserSpace { get; init; } = true;

    /// <summary>The thread whose reads neither interrupt another CPU nor wait for a lock: the calling thread, if only it is counted.
    /// Otherwise null, because reads of other CPUs interrupt them, and reads of inherited counters take a lock.</summary>
    public Thread? PromptReader => IsOwnThread && !IsInherited ? Thread.CurrentThread : null;

    /// <summary>Whether only the calling thread is counted, so that it may read the counters without the kernel.</summary>
    public bool IsOwnThread => ProcessId is null && ThreadId == 0;
}
