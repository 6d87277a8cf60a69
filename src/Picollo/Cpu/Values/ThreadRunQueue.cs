namespace Picollo.Cpu;

/// <summary>The time that a thread waited for a CPU. Only the thread itself may read it, because the value of another thread can be
/// old.</summary>
internal abstract class ThreadRunQueue
{
    /// <summary>Reads the time so far, in nanoseconds.</summary>
    public abstract bool TryRead(out long nanoseconds);

    /// <summary>Releases its resources, at the latest after the thread has ended.</summary>
    public virtual void Close()
    {
    }
}
