namespace Picollo.Cpu;

/// <summary>A <see cref="SpinWait"/> that continues if the thread is interrupted, and leaves the interrupt to the next wait of the caller.
/// (A <see cref="SpinWait"/> would throw if the thread is interrupted while it sleeps.)</summary>
internal struct UninterruptedSpin
{
    private SpinWait _spinner;
    private bool _isInterrupted;

    public void SpinOnce()
    {
        try
        {
            _spinner.SpinOnce();
        }
        catch (ThreadInterruptedException)
        {
            _isInterrupted = true;
        }
    }

    public readonly void End()
    {
        if (_isInterrupted)
        {
            Thread.CurrentThread.Interrupt();
        }
    }
}
