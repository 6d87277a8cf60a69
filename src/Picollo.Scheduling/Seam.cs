namespace Picollo.Scheduling;

/// <summary>A point at which a test can delay a thread of a pool, to reproduce a race. See
/// <see cref="CpuWorkerPoolOptions.AtSeam"/>.</summary>
internal enum Seam
{
    /// <summary>The timer has read whether a thread waits, and has not taken the lock yet.</summary>
    ThreadRead,

    /// <summary>A step of a body has ended, and the worker has not taken the lock yet.</summary>
    StepEnded,
}
